/** Time zones, by the names that IANA gives them. */

/** Return where this browser is. */
export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** Return the time zones to choose from, with those among them that must be there. */
export function timeZoneNames(...present: readonly string[]): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set(['UTC', ...present, ...known])].sort((a, b) => a.localeCompare(b));
}

/** Return the name of a time zone as people read it. */
export function timeZoneLabel(name: string): string {
  return name.replaceAll('_', ' ');
}
