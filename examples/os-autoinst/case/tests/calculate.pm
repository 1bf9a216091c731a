# Drives a calculator and an editor by sight. It knows nothing of Vedette.
use Mojo::Base 'basetest', -signatures;
use testapi;

sub run ($self) {
    assert_and_click $_ for qw(six times seven equals);
    assert_screen 'forty-two';
    my $label = assert_screen('editor')->{area}[0];
    mouse_set $label->{x}, $label->{y} + 100;
    type_string 'six times seven is 42';
    assert_screen 'written';
    assert_and_click 'save';
    assert_screen 'saved';
}

sub test_flags ($self) { return {fatal => 1} }

1;
