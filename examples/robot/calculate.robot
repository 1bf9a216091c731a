*** Settings ***
Documentation    Drives a calculator and an editor by sight:
...    examples/desktop/start python3 -m vedette.run -m robot examples/robot/calculate.robot
Library          ImageHorizonLibrary    reference_folder=${CURDIR}/../desktop    confidence=0.95

*** Test Cases ***
Six Times Seven Is Forty Two
    FOR    ${key}    IN    six    times    seven    equals
        Wait For       ${key}
        Click Image    ${key}
    END
    Wait For    forty-two

A Note Is Written And Saved
    Click To The Below Of Image    editor    100
    Type           six times seven is 42
    Wait For       written
    Click Image    save
    Wait For       saved
    ${seven}=      Does Exist    seven
    Should Be True    ${seven}
    Take A Screenshot
