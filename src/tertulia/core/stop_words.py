"""Words that stand in every text and so tell nothing about it."""

#: English, Spanish, German and French words that stand in every text.
STOP_WORD_TEXT = """
    a about after all also am an and any are as at be because been before being but by can could did do
    does doing done for from get give had has have having he hello her here hey hi him his how i if in into
    is it its just know let like made make many me mean more most much my no not now of on one only or our
    out please said say says she should show so some tell than thank thanks that the their them then there
    these they this those to told too up us use very was we well were what when where which who why will
    with would you your

    al con como cual cuando de del donde el ella en es esta este la las lo los mas me mi no o para pero por
    que quien se si sin sobre su sus te tu un una y yo

    aber als am an auch auf aus bei bin bis das dass dem den der des die du ein eine einen er es für hat
    ich ihr im in ist ja mit nach nicht noch nur oder sie sind so über um und uns vom von vor war was wer
    wie wir wo zu zum zur

    au aux avec ce ces cette comment dans de des du elle en est et il je la le les leur lui mais mes ne
    nous on ou où par pas pour quand que qui quoi sa se ses son sont sur un une vous
"""
STOP_WORDS = frozenset(STOP_WORD_TEXT.split())
