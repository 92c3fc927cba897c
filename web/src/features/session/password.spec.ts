import { describe, expect, it } from 'vitest';
import { missingChars, passwordStrength } from './password';

describe('the hint about a new password', () => {
  it('says nothing before anything is typed', () => expect(passwordStrength('')).toBe('none'));

  it('counts what is missing in characters, as the server does', () => {
    expect(passwordStrength('nine char')).toBe('short');
    expect(missingChars('nine char')).toBe(1);
    expect(passwordStrength('🌊🌊🌊🌊🌊')).toBe('short');
    expect(missingChars('🌊🌊🌊🌊🌊')).toBe(5);
    expect(missingChars('long enough to be taken')).toBe(0);
  });

  it('refuses the email address, however it is written', () => {
    expect(passwordStrength('Ana@Example.org', 'ana@example.org ')).toBe('email');
  });

  it.each(['aaaaaaaaaaaa', 'password2024', 'qwertyuiop', '1234567890', 'abababababab'])(
    'calls %s easy to guess',
    (password) => expect(passwordStrength(password)).toBe('weak'),
  );

  it('likes length more than signs', () => {
    expect(passwordStrength('window lamp river')).toBe('strong');
    expect(passwordStrength('lampriverw')).toBe('fair');
    expect(passwordStrength('Lamp-river-8')).toBe('strong');
  });
});
