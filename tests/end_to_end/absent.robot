*** Settings ***
Documentation    What is not on the screen: keywords that look for it say so, and do not fail otherwise.
Library          ImageHorizonLibrary    reference_folder=${PICTURES}    confidence=0.95
...              keyword_on_failure=BuiltIn.No Operation

*** Test Cases ***
A Result That Is Not There
    ${there}=    Does Exist    forty-two
    Should Be Equal    ${there}    ${False}
    ${there}=    Does Exist    six
    Should Be Equal    ${there}    ${True}
    Run Keyword And Expect Error    ImageNotFoundException: Reference image "*forty-two.png" was not found on screen
    ...    Wait For    forty-two    timeout=2
