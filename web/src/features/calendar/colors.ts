/** Colours of calendars: each can be told from the others, on light and on dark. */
export const CALENDAR_COLORS: readonly { readonly color: string; readonly name: string }[] = [
  { color: '#2f7d6b', name: 'Green' },
  { color: '#3b6fb6', name: 'Blue' },
  { color: '#b5543c', name: 'Red' },
  { color: '#9a6b12', name: 'Amber' },
  { color: '#7a55b0', name: 'Violet' },
  { color: '#b04a86', name: 'Pink' },
  { color: '#4a7c86', name: 'Teal' },
  { color: '#6b6f76', name: 'Grey' },
];
