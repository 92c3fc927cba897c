import { describe, expect, it } from 'vitest';
import { missing, strengthOf } from './password';

describe('the hint about a new password', () => {
  it('says nothing before anything is typed', () => expect(strengthOf('')).toBe('none'));

  it('counts what is missing in characters, as the server does', () => {
    expect(strengthOf('nine char')).toBe('short');
    expect(missing('nine char')).toBe(1);
    expect(strengthOf('🌊🌊🌊🌊🌊')).toBe('short');
    expect(missing('🌊🌊🌊🌊🌊')).toBe(5);
    expect(missing('long enough to be taken')).toBe(0);
  });

  it('refuses the email address, however it is written', () => {
    expect(strengthOf('Ana@Example.org', 'ana@example.org ')).toBe('email');
  });

  it.each(['aaaaaaaaaaaa', 'password2024', 'qwertyuiop', '1234567890', 'abababababab'])(
    'calls %s easy to guess',
    (password) => expect(strengthOf(password)).toBe('weak'),
  );

  it('likes length more than signs', () => {
    expect(strengthOf('window lamp river')).toBe('strong');
    expect(strengthOf('lampriverw')).toBe('fair');
    expect(strengthOf('Lamp-river-8')).toBe('strong');
  });
});
