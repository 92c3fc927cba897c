import { describe, expect, it } from 'vitest';
import {
  summariseArguments,
  isJsonObject,
  multilineArguments,
  formatArguments,
  escapeInvisible,
} from './arguments';

describe('arguments', () => {
  it('have one value a line, each as it was written', () => {
    const json = '{"id":12345678901234567890,"sum":1.0,"to":["a , b",{"c":"\\"}{"}],"none":{},"list":[ ]}';
    expect(formatArguments(json)).toBe(
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
    expect(formatArguments('{not json')).toBe('{not json');
    expect(formatArguments('[]')).toBe('[]');
  });

  it('hide nothing, and mean the same as before', () => {
    const json = JSON.stringify({
      path: 'a\u202egpj.exe',
      to: 'b\u200bc\ufeff',
      tag: 'd\u{e0041}',
      ok: 'é 😀',
    });
    expect(formatArguments(json)).toContain('a\\u202egpj.exe');
    expect(formatArguments(json)).toContain('b\\u200bc\\ufeff');
    expect(formatArguments(json)).toContain('d\\udb40\\udc41');
    expect(formatArguments(json)).toContain('é 😀');
    expect(JSON.parse(formatArguments(json))).toEqual(JSON.parse(json));
    expect(escapeInvisible('plain')).toBe('plain');
  });

  it('show code as code', () => {
    expect(multilineArguments('{"code":"a = 1\\nprint(a)","seconds":3,"name":"x"}')).toEqual([
      ['code', 'a = 1\nprint(a)'],
    ]);
    expect(multilineArguments('nonsense')).toEqual([]);
  });

  it('must be one object', () => {
    expect(['{}', ' {"a": [1]}'].map(isJsonObject)).toEqual([true, true]);
    expect(['', '[]', 'null', '"a"', '{a: 1}', '{} {}'].map(isJsonObject)).not.toContain(true);
  });

  it('have a gist on one line', () => {
    expect(summariseArguments('{"path":"notes.md","lines":[1,\\n2]}')).toBe(
      '{"path":"notes.md","lines":[1,\\n2]}',
    );
    expect(summariseArguments('{"path":"notes.md","lines":[1,2]}')).toBe('notes.md · [1,2]');
    expect(summariseArguments('{"code":"a = 1\\nprint(a)"}')).toBe('a = 1 print(a)');
    expect(summariseArguments('{}')).toBe('');
  });
});
