"""Names that rules know: given names, countries and large cities, and words in capitals that name nothing."""

from tertulia.core.word_sets import word_set

GIVEN_NAMES = word_set("""
    aaron adam adrian agnes alan albert alejandro alex alexander alexandra alice alicia alison amanda
    amelia amy ana andrea andreas andrew andy angela anita anja ann anna anne annette anthony antonio
    antonia arthur barbara beatriz ben benjamin bernd bernhard beth betty bill birgit bob boris brenda
    brian brigitte bruce bruno camila carla carlos carmen carol caroline carolyn catherine cecilia
    charles charlie charlotte chris christian christina christine christoph christopher cindy claire
    clara claudia colin cristina cynthia daniel daniela danielle dave david deborah debra dennis diana
    diane diego dieter dirk dmitri donald donna dorothy doug douglas dylan edward elena elisabeth
    elizabeth ella ellen emily emma eric erik erika ernst esther ethan eugene eva evelyn felix fernando
    florian frances francisco frank franz fred frederick friedrich gabriel gabriela gary george gerald
    gerhard gloria grace greg gregory guillermo günter hannah hans harald harold harry heather heidi
    heike heinrich helen helena helga henry herbert holger hugo ian inge ines ingrid irene irma isaac
    isabel isabella ivan jack jacob jacqueline jakob james jamie jan jane janet janice jason javier jean
    jeff jeffrey jennifer jenny jens jeremy jerry jessica jill jim jimmy joan joana joe joel johann
    johannes john jonas jonathan jordan jorge jose josé josef joseph joshua joyce juan juana judith judy
    julia julian julie jürgen justin karen karin karl kate katharina katherine kathleen kathryn katie
    keith kelly ken kenneth kevin kim klaus kurt kyle lars laura lauren laurence lawrence lea lena leo
    leon leonard leonie liam linda lisa logan lorenzo louis louise lucas lucia lucía lucy luis luisa
    lukas luke lynn manuel manuela marc marco marcus margaret margarita maria maría marie marilyn mario
    marion mark markus marta martha martin martina mary mateo matt matthew matthias max maximilian maya
    megan melissa mia michael michaela michelle miguel mike mikhail mohamed mohammed monica monika
    muhammad nadia nancy natalia natalie nathan nicholas nick nicola nicolas nicole nina noah nora
    norbert nuria oliver olivia omar oscar pablo pamela patricia patrick paul paula pedro peggy peter
    petra phil philip philipp priya rachel rafael rainer ralf ralph ramon raúl raymond rebecca renate
    ricardo richard rita robert roberto robin rodrigo roger roland ronald rosa rosie ruben russell ruth
    ryan sabine sam samantha samuel sandra sara sarah scott sean sebastian sergio sharon shirley silvia
    simon simone sofia sofía sonia sophia sophie stefan stefanie stephanie stephen steve steven stuart
    susan susanne sven sylvia tanja tara teresa terry theo theodore theresa thomas tim timothy tina
    tobias todd tom tomás tony tyler ulrich ursula ute valentina vanessa vera veronica victor victoria
    vincent virginia walter wayne wendy werner wilhelm will william wolfgang xavier yolanda yuki zoe
""")
PLACE_NAME_TEXT = """
    Afghanistan; Albania; Algeria; Argentina; Armenia; Australia; Austria; Belgium; Bolivia; Brazil;
    Bulgaria; Cambodia; Cameroon; Canada; Chile; China; Colombia; Costa Rica; Croatia; Cuba; Cyprus;
    Czech Republic; Czechia; Denmark; Dominican Republic; Ecuador; Egypt; England; Estonia; Ethiopia;
    Finland; France; Germany; Ghana; Greece; Guatemala; Hungary; Iceland; India; Indonesia; Iran; Iraq;
    Ireland; Israel; Italy; Jamaica; Japan; Jordan; Kenya; Korea; South Korea; Latvia; Lebanon;
    Lithuania; Luxembourg; Malaysia; Malta; Mexico; Morocco; Nepal; Netherlands; New Zealand; Nigeria;
    Norway; Pakistan; Panama; Paraguay; Peru; Philippines; Poland; Portugal; Romania; Russia; Saudi
    Arabia; Scotland; Serbia; Singapore; Slovakia; Slovenia; South Africa; Spain; Sweden; Switzerland;
    Taiwan; Thailand; Tunisia; Turkey; Uganda; Ukraine; United Kingdom; United States; Uruguay;
    Venezuela; Vietnam; Wales; Deutschland; Österreich; Schweiz; España; Amsterdam; Ankara; Antwerp;
    Athens; Atlanta; Austin; Baltimore; Bangkok; Barcelona; Basel; Beijing; Belfast; Belgrade; Berlin;
    Bern; Bilbao; Birmingham; Bogotá; Bologna; Bonn; Bordeaux; Boston; Bratislava; Bremen; Brisbane;
    Bristol; Brussels; Bucharest; Budapest; Buenos Aires; Cairo; Calgary; Cambridge; Cape Town; Cardiff;
    Casablanca; Chicago; Cologne; Copenhagen; Cork; Córdoba; Dallas; Delhi; New Delhi; Denver; Detroit;
    Dresden; Dubai; Dublin; Düsseldorf; Edinburgh; Essen; Florence; Frankfurt; Geneva; Genoa; Glasgow;
    Granada; Graz; Hamburg; Hanover; Hannover; Havana; Helsinki; Hong Kong; Honolulu; Houston; Istanbul;
    Jakarta; Jerusalem; Johannesburg; Karachi; Köln; Kraków; Kuala Lumpur; Kyiv; Kyoto; Lagos; Las
    Vegas; Leeds; Leipzig; Lima; Lisbon; Liverpool; London; Los Angeles; Lyon; Madrid; Málaga;
    Manchester; Manila; Marseille; Melbourne; Memphis; Mexico City; Miami; Milan; Minneapolis; Montreal;
    Moscow; Mumbai; Munich; München; Nairobi; Naples; Nashville; New Orleans; New York; New York City;
    Nice; Nuremberg; Oakland; Osaka; Oslo; Ottawa; Oxford; Palermo; Palo Alto; Paris; Philadelphia;
    Phoenix; Pittsburgh; Porto; Portland; Prague; Quito; Reykjavik; Riga; Rio de Janeiro; Rome;
    Rotterdam; Sacramento; Salamanca; Salt Lake City; Salzburg; San Antonio; San Diego; San Francisco;
    San Jose; Santiago; São Paulo; Seattle; Seoul; Seville; Sevilla; Shanghai; Sheffield; Sofia;
    Stockholm; Strasbourg; Stuttgart; Sydney; Taipei; Tallinn; Tel Aviv; Tokyo; Toronto; Turin;
    Valencia; Vancouver; Venice; Vienna; Wien; Vilnius; Warsaw; Washington; Zagreb; Zaragoza; Zurich;
    Zürich; California; Texas; Florida; Arizona; Colorado; Oregon; Nevada; Bavaria; Catalonia;
    Andalusia; Tuscany; Provence; Europe; Asia; Africa
"""
PLACE_NAMES = frozenset(" ".join(name.split()) for name in PLACE_NAME_TEXT.split(";"))
#: Words in capitals that begin sentences, greet or count days, and name nobody.
PLAIN_CAPITALS = word_set("""
    i i'm i'll i've i'd a an the this that these those it he she we you they my your his her our their
    what when where who why how which yes no ok okay please thanks thank hello hi hey dear sure great
    good sorry well also and but or so if then there here now not just let can could would will should
    do does did is are was were have has had maybe perhaps aunt uncle cousin grandma grandpa monday
    tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december today tomorrow yesterday mr mrs ms dr prof english german
    spanish french italian american british european christmas easter internet pdf api url html json sql
    python java for from with without about after before as at by in into of on to up out over once one
    two three first second next last all any some every each both only even still however therefore
    meanwhile finally again ich wir sie er es das der die ein eine und oder aber el la los las un una y
    o pero que de en con por para call meet send ask tell remind email text note summary step option
    example
""")
