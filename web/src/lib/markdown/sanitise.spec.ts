// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { inlineHtml, inlineOf, lex } from './lexer';
import { isOwnPicture, sanitiseSvg, sanitiseFormula, sanitise } from './sanitise';

/** Markdown as it would reach the page. */
const shown = (text: string): string =>
  lex(text)
    .map((token) => sanitise(token.type === 'html' ? token.raw : inlineHtml(inlineOf(token))))
    .join('\n');

const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="https://evil.example/pixel.png" onload=alert(1)>',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<iframe src="https://evil.example"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '<embed src="javascript:alert(1)">',
  '<form action="https://evil.example"><input name=password><button>Go</button></form>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" java\nscript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '![x](javascript:alert(1))',
  '![x](https://evil.example/a.png)',
  '![x](//evil.example/a.png)',
  '![x](data:text/html,<script>alert(1)</script>)',
  '<style>body{background:url(https://evil.example)}</style>',
  '<link rel=stylesheet href="https://evil.example/a.css">',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<p style="background:url(https://evil.example)">x</p>',
  '<div class="fixed inset-0 z-50">Sign in again</div>',
  '<img name=body id=cookie src="data:image/png;base64,AA">',
  '<picture><source srcset="https://evil.example/a.png"><img src=""></picture>',
  '<img srcset="https://evil.example/a.png 2x" src="/x.png">',
  '<video src="https://evil.example/v.mp4" poster="https://evil.example/p.png"></video>',
  '<audio src="https://evil.example/a.mp3" autoplay></audio>',
  '<table background="https://evil.example/a.png"><tr><td>x</td></tr></table>',
  '<details open ontoggle=alert(1)>x</details>',
  '<a href="https://a.example" ping="https://evil.example">x</a>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<template><img src=x onerror=alert(1)></template>',
  '<b onmouseover=alert(1)>x</b>',
  '"><script>alert(1)</script>',
  '`</code><script>alert(1)</script>`',
  '$</span><img src=x onerror=alert(1)>$',
];

describe('what reaches the page', () => {
  it.each(ATTACKS)('runs nothing and fetches nothing: %s', (attack) => {
    const page = document.createElement('template');
    page.innerHTML = shown(attack);
    for (const element of page.content.querySelectorAll('*')) {
      expect(element.tagName).not.toMatch(
        /^(script|style|iframe|object|embed|form|input|button|svg|math|link|base|meta|video|audio|source|picture)$/i,
      );
      for (const { name, value } of element.attributes) {
        expect(name).not.toMatch(/^(on.*|style|class|id|name|srcset|ping|background|srcdoc|poster)$/i);
        if (name === 'href') expect(value).toMatch(/^(https?:|mailto:|tel:|\/|#|[^:]*$)/i);
        if (name === 'src') expect(isOwnPicture(value)).toBe(true);
      }
    }
  });

  it('has links that open apart and tell nothing', () => {
    expect(shown('[x](https://example.com)')).toContain('rel="noopener noreferrer nofollow"');
    expect(shown('[x](https://example.com)')).toContain('target="_blank"');
  });

  it('has the pictures of this server, and links to those of others', () => {
    expect(shown('![x](/api/attachments/1)')).toContain('<img');
    expect(shown('![x](data:image/png;base64,AA)')).toContain('<img');
    const foreign = shown('![a cat](https://example.com/cat.png)');
    expect(foreign).not.toContain('<img');
    expect(foreign).toMatch(/<a [^>]*href="https:\/\/example.com\/cat.png"[^>]*>a cat<\/a>/);
  });

  it('has the harmless HTML that models like', () => {
    expect(shown('H<sub>2</sub>O<br>and <kbd>Ctrl</kbd>')).toBe('H<sub>2</sub>O<br>and <kbd>Ctrl</kbd>');
  });

  it('draws formulas and diagrams without anything that acts', () => {
    const formula = document.createElement('div');
    formula.append(
      sanitiseFormula(
        '<span class="katex" style="top:1em" onclick="x()"><math><semantics><mi>x</mi></semantics></math></span>',
      ),
    );
    expect(formula.innerHTML).toContain('<math>');
    expect(formula.innerHTML).not.toContain('onclick');
    const drawing = sanitiseSvg(
      '<svg viewBox="0 0 1 1"><script>x</script><a href="https://e.x"><g id="k"/></a><image href="https://e.x"/><foreignObject><p>x</p></foreignObject></svg>',
    );
    expect(drawing).not.toMatch(/script|href|image|foreignobject/i);
  });
});
