"""Ordinary diagrams of every kind whose labels hold words that would mean something in a style or a tag."""

DIAGRAMS: dict[str, list[str]] = {
    "flowchart": [
        'flowchart LR\n A["Parse URL (https)"] --> B[ok]',
        'flowchart LR\n A["background: url(x.png)"] -->|"url(y)"| B["{braces}: and img"]',
        'flowchart LR\n A["C:\\temp"] --> B["C:\\\\temp\\\\x"] --> C["one\\ntwo<br/>three"]',
        'flowchart LR\n A@{ shape: rect, label: "resize img: icon" } --> B[ok]',
        "flowchart LR\n e1@{ animate: true }\n A e1@--> B[img.png]",
        'flowchart LR\n url(URL) --> src("src") --> url\n style url fill:#f9f,stroke-dasharray: 5 5',
        "flowchart TD\n A[/lean right/] --> B[\\lean left\\] --> C[/trapezoid\\]\n classDef a fill:#eee",
        'flowchart TD\n A["<img src=x.png> as text"] --> B["a < b = c"]',
        'flowchart TD\n subgraph icons [properties of icons]\n  A --> B\n end\n click A href "https://example.org"',
    ],
    "sequence": [
        "sequenceDiagram\n Alice->>Bob: set properties of icon\n Bob-->>Alice: url(x) {ok}: C:\\temp",
        "sequenceDiagram\n participant I as img\n Note over I: @import src\\nsecond line\n I->>I: /* x */",
        'sequenceDiagram\n rect rgb(200, 220, 240)\n A->>B: properties: {"icon": 1}\n end',
    ],
    "class": [
        "classDiagram\n class Icon {\n  +List properties\n  +draw()\n }\n Icon <|-- Silicone",
        "classDiagram\n class Img {\n  <<interface>>\n  +String src\n  +url(path)\n  +List~int~ ids\n }",
    ],
    "state": [
        "stateDiagram-v2\n [*] --> Img\n Img --> Icon : url(x) \\ properties\n Icon --> [*]",
        'stateDiagram-v2\n state "load img from url(x)" as L\n [*] --> L',
    ],
    "er": [
        'erDiagram\n IMG ||--o{ ICON : "url(x)"\n IMG {\n  string url "src: C:\\temp"\n  int properties\n }',
    ],
    "gantt": [
        "gantt\n title img, icon and url(x)\n dateFormat YYYY-MM-DD\n section properties\n"
        " Resize img (src) C\\temp :a1, 2026-01-01, 3d",
    ],
    "pie": ['pie title url(x) of img\n "icon: properties" : 3\n "C:\\temp {x}" : 4'],
    "mindmap": ['mindmap\n  root((img))\n    A["url(x) icon"]\n    properties\n      C:\\temp'],
    "journey": [
        "journey\n title My url(x)\n section properties\n  Make img icon: 5: Me\n  C\\temp: 3: Me, Cat"
    ],
    "git": [
        'gitGraph\n commit id: "img url(x)"\n branch icon\n commit tag: "properties"\n commit id: "C:\\temp"'
    ],
    "timeline": ["timeline\n title url(x) of icons\n 2002 : img {x} : properties\n 2004 : C\\temp"],
    "quadrant": [
        'quadrantChart\n title img and icon\n x-axis "url(x)" --> "src"\n y-axis Low --> High\n'
        ' quadrant-1 properties\n "C:\\temp": [0.3, 0.6]',
    ],
}
