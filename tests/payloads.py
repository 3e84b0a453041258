"""Texts that would run, load or swap something if a page took them for markup: more than three hundred, made of parts.

Each calls `alert` or asks for `/hacked`; whatever gets through is seen as a dialog, a refusal of the content security
policy, or a request.
"""

from itertools import product

RUN = "alert(1)"
EVENTS = ("onerror", "onload", "onclick", "onfocus autofocus", "onmouseover", "ontoggle", "onbegin", "onanimationstart")
TAGS = (
    "<img src=/hacked {event}={run}>",
    "<svg {event}={run}>",
    "<body {event}={run}>",
    "<input {event}={run}>",
    "<details open {event}={run}>x</details>",
    "<video src=/hacked {event}={run}></video>",
    "<svg><animate attributeName=x dur=1s {event}={run}></svg>",
    "<style>@keyframes x{{}}</style><b style=animation-name:x {event}={run}>b</b>",
)
BREAKS = ("", '">', "'>", "</textarea>", "</title></style></script>", "--><!-->", "]]>", "\u2028</p>")
WHOLE = (
    "<script>alert(1)</script>",
    "<script src=/hacked></script>",
    "<script type=module>import '/hacked'</script>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<object data=/hacked></object>",
    "<embed src=/hacked>",
    "<link rel=stylesheet href=/hacked>",
    "<link rel=prefetch href=/hacked>",
    "<meta http-equiv=refresh content='0;url=/hacked'>",
    "<base href=//hacked.example/>",
    "<form action=/hacked><button autofocus>x</button></form>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)//https://",
    "\x01javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:alert(1)",
    'https://docs.example/"onmouseover=alert(1) x="',
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<math><mi><mglyph><svg><mtext><textarea><path id='</textarea><img onerror=alert(1) src=1>'>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><img src=/hacked onerror=alert(1)></template>",
    "<select><template><style><!--</style><a rel='--></style></template></select><img src=x onerror=alert(1)>'>",
    "<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg onload=alert(1)/>#x'>",
    "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>",
    "<table background=/hacked><td background=/hacked>",
    "<b style=background:url(/hacked)>b</b>",
    "<style>@import '/hacked';</style>",
    "<style>*{background:url(/hacked)}</style>",
    "{{ 7 * 7 }}{% include '/etc/passwd' %}{{ config }}",
    "${alert(1)}#{alert(1)}<%= alert(1) %>",
    '"}]};alert(1);//',
    "';alert(1)//\\';alert(1)//",
    "<div hx-get=/hacked hx-trigger=load>x</div>",
    "<div hx-post=/hacked hx-trigger='every 1s'>x</div>",
    "<div hx-on:htmx:load=alert(1)>x</div>",
    "<div hx-on--load=alert(1)>x</div>",
    "<div hx-vals='js:{x: alert(1)}' hx-get=/hacked hx-trigger=load>x</div>",
    "<div hx-trigger='load[alert(1)]' hx-get=/hacked>x</div>",
    "<div data-hx-get=/hacked data-hx-trigger=load>x</div>",
    "<div id=pair data-id=x data-at=/hacked>x</div>",
    "</div></article><button form=grade name=level value=3 data-key=2 autofocus>x</button>",
    "<form id=grade action=/hacked></form>",
    "<template><div id=pair data-id=x data-at=/hacked></div></template>",
)
PAYLOADS: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            *WHOLE,
            *(broken + tag.format(event=event, run=RUN) for tag, event, broken in product(TAGS, EVENTS, BREAKS[:3])),
            *(broken + tag.format(event=EVENTS[0], run=RUN) for tag, broken in product(TAGS, BREAKS[3:])),
            *(broken + whole for broken, whole in product(BREAKS[1:], WHOLE[:6])),
        ]
    )
)
