"""The words that the lint knows. English, as the rubrics that it reads; the lists follow the project's method (§1)."""


def parted(words: str) -> frozenset[str]:
    return frozenset(words.split())


COMPARATIVE = parted("""
    best better clearer closer easier fewer fewest fuller harder inferior least less more most richer stronger
    superior top weaker worse worst
""")
EVALUATIVE = parted("""
    adequate adequately amazing appropriate authoritative awesome awful bad badly brilliant comprehensive
    comprehensively decent excellent exceptional exhaustive exhaustively extremely fairly fantastic good great
    helpful helpfully high-quality highly ideal ideally importance important inadequate insufficient interesting
    irrelevance irrelevant largely low-quality marginal marginally mediocre mostly nice optimal outstanding
    perfect perfectly poor poorly quality quite really reasonable reasonably relevance relevancy relevant
    reliable reputable satisfactory significant significantly slightly somewhat strongly sufficient sufficiently
    suitable super terrible thorough thoroughly trustworthy unhelpful useful usefulness useless valuable very
    well-written worthless worthwhile
""")
HARMLESS_PHRASES = (
    r"at (?:least|most) (?:a|an|one|two|three|four|five|half|once|\d+)",
    r"(?:no |not )?(?:more|less|fewer) than (?:a|an|one|two|three|four|five|ten|half|once|\d+)",
    r"one more|once more|any ?more|no more than|more or less|nothing more|nothing less|more details?",
    r"(?:at|on|from|to|near) the top of (?:the|a|its) (?:page|document|screen|text|article|window|table)",
    r"best[ -]before|best[ -]sell(?:er|ers|ing)|best practices?|top[ -]level|great britain|good faith",
    r"quality (?:assurance|control)",
)
"""In these the words of the lists compare no documents, and judge none."""

NO_SUPERLATIVE = parted("""
    almagest armrest arrest attest backrest backtest behest bequest breast brest budapest chest congest conquest
    contest crest detest digest dishonest disinterest divest earnest everest fest footrest forest gabfest guest
    harvest headrest honest houseguest immodest incest infest ingest inquest interest invest jest latest lest
    manifest midwest modest molest nest northeast northwest pest predigest pretest priest protest quest reforest
    reinvest request rest retest southwest subtest suggest tempest test unrest vest west wrest zest
""")
"""Words that end like a superlative and are none."""

THAN = parted("""
    another earlier either farther further later longer neither other rather sooner whether
""")
"""Words in -er that stand before `than` without comparing one document with another."""

FILLERS = parted("""
    a an and answer anybody are as asker at be been by can could did do document does for from had has have he
    her his in is it item its may might of on page passage person reader result she so somebody someone text
    that the their them there these they this those to user users was were will with would you your
""")
"""Words in which two questions may differ and still ask the same."""

TERMS = frozenset(
    term.replace("_", " ")
    for term in parted("""
    accessory aspect aspects authority complement entity exact_match facet facets fulfills fulfils in_scope
    information_need intent key_point key_points main_topic near_miss nugget nuggets off-topic on-topic
    out_of_scope partial_match requirement requirements satisfied satisfies satisfy search_intent self-contained
    spam specification specifications substitute subtopic subtopics task topic user_intent
""")
)
"""Words that two people take differently unless the rubric says what it means by them."""

KNOWN_LETTERS = parted("""
    A AM CD CEO DIY DVD EU FAQ FAQS GPS HTML HTTP HTTPS I ID IT OK PC PDF PIN PM TV UK UN URL URLS US USA USB
    VAT
""")
"""Letters that everybody reads alike."""
