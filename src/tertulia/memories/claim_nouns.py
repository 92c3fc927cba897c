"""Nouns that tell whether a thing has one of something at a time, or may have several."""

#: Nouns of which each thing has one.
ATTRIBUTE_TEXT = """
    name surname nickname age address email e-mail mail number phone mobile birthday anniversary
    deadline launch release budget price cost rent fee salary wage rate version port timezone zone size
    height weight title job employer nationality citizenship religion pronouns language capital
    population currency author director creator founder owner headquarters spouse child location url
    domain repository repo branch room floor host database client supplier theme colour color status
    limit capacity quota duration length username handle hometown home office school university major
    degree position rank diagnosis type diet dose network logo wedding meeting appointment standup sync
    flight exam goal target plan tagline slogan motto genre publisher label model brand operator
    manufacturer developer composer performer producer broadcaster server bank insurer provider tool
    editor ide browser shell framework lieblingsessen lieblingsfarbe adresse geburtstag telefonnummer
    dirección teléfono cumpleaños nombre anniversaire nom indirizzo compleanno nome morada
    occupation profession role mascot instrument breed species sign alma mater sport religion spouse
    residence origin birthplace nationality affiliation stadium league conference
    country city place year field level region
    start end date day time hour schedule venue mascot anthem area word code passphrase
"""
#: People of whom there is one at a time.
UNIQUE_ROLE_TEXT = """
    boss manager accountant lawyer dentist doctor landlord landlady ceo cto cfo coo chief head director
    president chair chairman chairwoman chairperson mayor captain coach owner wife husband partner
    girlfriend boyfriend fiancé fiancée fiance spouse mother father mum mom dad therapist supervisor
    lead vet tutor agent chancellor minister governor king queen officer administrator treasurer
    secretary principal headteacher chef chefin jefe jefa patron patronne mari femme frau mann esposa
    marido esposo moglie marito chefe mulher steuerberater gestor contable comptable hausarzt zahnarzt
"""
#: Nouns of which a thing may have several, though somebody speaks of one.
MANY_VALUED_NOUN_TEXT = """
    advantage disadvantage problem benefit feature reason part example member symptom hobby friend
    colleague allergy skill interest one downside upside risk cause effect brother sister son daughter
    cousin uncle aunt nephew niece pet dog cat customer competitor neighbour neighbor bruder schwester
    sohn tochter hermano hermana hijo hija frère sœur fils fille fratello sorella figlio figlia irmão
    irmã filho filha
"""
ATTRIBUTES = frozenset(ATTRIBUTE_TEXT.split())
UNIQUE_ROLES = frozenset(UNIQUE_ROLE_TEXT.split())
MANY_VALUED_NOUNS = frozenset(MANY_VALUED_NOUN_TEXT.split())
