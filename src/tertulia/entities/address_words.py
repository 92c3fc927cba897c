"""Words of addresses: kinds of streets, units, states, countries, and what is no part of a street's name."""

from tertulia.core.stop_words import STOP_WORDS
from tertulia.core.word_sets import word_set

#: Kinds of streets that are written in small letters too.
STREET_KINDS = word_set("""
    street st avenue ave av road rd boulevard blvd lane ln drive highway hwy parkway pkwy turnpike tpke
    crescent cres expressway expy freeway fwy terrace terr mews causeway
""")
#: Kinds that are plain words as well: only after a name in capitals, or before the rest of an address.
PLAIN_STREET_KINDS = word_set("""
    alley aly arcade bend broadway bypass center centre circle cir close common commons court courtyard
    cove crossing ct dr embankment esplanade estate estates gardens gdns gate green grove heights hill
    hills hollow house island junction landing loop mall manor market meadow meadows mill oval parade
    park pass passage path pier pike pl place plaza plz point promenade pt quay ridge rise route row rte
    sq square ter towers trail trl view vista walk way wharf wy yard yards building bldg brae chase
    copse croft vale wynd
""")
ALL_STREET_KINDS = STREET_KINDS | PLAIN_STREET_KINDS
#: Kinds that come before the name or the number, as in "Highway 9" and "Avenue of the Americas".
LEADING_STREET_KINDS = word_set(
    "avenue ave highway hwy route rte interstate county state us camino avenida via"
)
#: Streets whose name is their kind.
WHOLE_STREET_NAMES = frozenset({"broadway", "embarcadero", "bowery", "strand", "piccadilly"})
DIRECTIONS = word_set("n s e w ne nw se sw north south east west northeast northwest southeast southwest")
#: What a number counts, so that no street's name begins there.
COUNTED_WORDS = word_set("""
    am pm a.m. p.m. o'clock minute minutes min mins hour hours hr hrs second seconds day days week weeks
    month months year years mile miles km kilometers kilometres meter meters metre metres feet foot ft
    inch inches yard yards block blocks star stars bedroom bedrooms bed beds bath room rooms person
    people guests adults kids children tickets ticket seats seat nights night times time percent dollars
    dollar euros euro pounds pound bucks degrees lane lanes way ways story storey floor floors car cars
    dogs cats men women boys girls items pieces cups cup bags boxes copies pages page points reasons
    things steps options more other different small big large new old good great nice busy main-course
    of in on at to the a an and or for with from by is are was were be will would could should can
    please per each every no not it that this these those our my your his her their monday tuesday
    wednesday thursday friday saturday sunday january february march april june july august september
    october november december jan feb mar apr jun jul aug sep sept oct nov dec next last today tomorrow
    tonight
""") | (STOP_WORDS - {"st", "la", "el", "de", "los", "las", "san", "del", "du", "des", "le", "les", "may"})
#: Small words that stand inside the names of streets.
JOINING_WORDS = word_set("of the de del la las los el du des le les san santa saint and")
STATES = word_set("""
    AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC
    ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR AB BC MB NB NL NS ON PE QC SK YT NSW VIC
    QLD TAS ACT
""")
STATE_NAMES_REGEX = (
    r"Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho"
    r"|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota"
    r"|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York"
    r"|North Carolina"
    r"|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee"
    r"|Texas"
    r"|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming|Ontario|Quebec|British Columbia"
    r"|Alberta"
)
COUNTRY_REGEX = (
    r"U\.?S\.?A\.?|United States(?: of America)?|U\.?K\.?|United Kingdom|Great Britain|England|Scotland"
    r"|Wales|Ireland"
    r"|Northern Ireland|Germany|Deutschland|Austria|Österreich|Switzerland|Schweiz|Spain|España|France|Italy"
    r"|Italia|Portugal|Netherlands|Belgium|Canada|Australia|New Zealand|Mexico|México|India|Japan"
)
#: Areas of British postcodes.
POSTCODE_AREAS = word_set("""
    AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH
    EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M
    ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST
    SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE
""")
#: Kinds of streets that are whole names with an article before them: "6 The Crescent".
ARTICLE_STREET_KINDS = word_set("""
    avenue close crescent drive esplanade gardens green grove lane mall mews parade promenade quay rise
    row square street terrace walk
""")
#: Words in capitals after a comma that name no town.
NOT_TOWN_WORDS = word_set("""
    i i'm i'll i've i'd we you he she they it please thanks thank call text meet let can could would
    will is are do does did and or but so then just ok okay yes no not my our your his her their the a
    an if when where who what which how why there here apt apartment suite unit flat floor also maybe
    now before after until mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday
    sunday january february march april may june july august september october november december today
    tomorrow tonight right correct near next tel phone email e-mail mobile hope see sorry hi hello dear
    best cheers regards make sure remember send bring come take mum mom dad grandma grandpa aunt uncle
    anything everything something nothing postcode post postal code zip with at on in by to for from of as
""")
#: Words in capitals right after a street that make it the name of something else.
NOT_DISTRICT_WORDS = word_set("""
    album apartments bank bar baptist books bridge building cafe café capital cemetery centre center chapel
    church cinema clinic club coffee college community company dental elementary entrance exit festival
    films gallery garage gym high hospital hotel house inn journal library live market medical methodist
    museum park partners pharmacy post primary pub records residents restaurant school shopping side
    stadium station stop studios surgery tavern theater theatre tower tube university
""")
