import { describe, expect, it } from 'vitest';
import { gistOf, isObject, longTexts, readable, seen } from './arguments';

describe('arguments', () => {
  it('have one value a line, each as it was written', () => {
    const json = '{"id":12345678901234567890,"sum":1.0,"to":["a , b",{"c":"\\"}{"}],"none":{},"list":[ ]}';
    expect(readable(json)).toBe(
      [
        '{',
        '  "id": 12345678901234567890,',
        '  "sum": 1.0,',
        '  "to": [',
        '    "a , b",',
        '    {',
        '      "c": "\\"}{"',
        '    }',
        '  ],',
        '  "none": {},',
        '  "list": []',
        '}',
      ].join('\n'),
    );
    expect(readable('{not json')).toBe('{not json');
    expect(readable('[]')).toBe('[]');
  });

  it('hide nothing, and mean the same as before', () => {
    const json = JSON.stringify({
      path: 'a\u202egpj.exe',
      to: 'b\u200bc\ufeff',
      tag: 'd\u{e0041}',
      ok: 'é 😀',
    });
    expect(readable(json)).toContain('a\\u202egpj.exe');
    expect(readable(json)).toContain('b\\u200bc\\ufeff');
    expect(readable(json)).toContain('d\\udb40\\udc41');
    expect(readable(json)).toContain('é 😀');
    expect(JSON.parse(readable(json))).toEqual(JSON.parse(json));
    expect(seen('plain')).toBe('plain');
  });

  it('show code as code', () => {
    expect(longTexts('{"code":"a = 1\\nprint(a)","seconds":3,"name":"x"}')).toEqual([
      ['code', 'a = 1\nprint(a)'],
    ]);
    expect(longTexts('nonsense')).toEqual([]);
  });

  it('must be one object', () => {
    expect(['{}', ' {"a": [1]}'].map(isObject)).toEqual([true, true]);
    expect(['', '[]', 'null', '"a"', '{a: 1}', '{} {}'].map(isObject)).not.toContain(true);
  });

  it('have a gist on one line', () => {
    expect(gistOf('{"path":"notes.md","lines":[1,\\n2]}')).toBe('{"path":"notes.md","lines":[1,\\n2]}');
    expect(gistOf('{"path":"notes.md","lines":[1,2]}')).toBe('notes.md · [1,2]');
    expect(gistOf('{"code":"a = 1\\nprint(a)"}')).toBe('a = 1 print(a)');
    expect(gistOf('{}')).toBe('');
  });
});
