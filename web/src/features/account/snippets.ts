/** What to paste to use a token: in Python with the openai package, and at the command line. */
export function pythonSnippet(origin: string, token: string): string {
  return [
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url="${origin}/v1",`,
    `    api_key="${token}",`,
    ')',
    'reply = client.chat.completions.create(',
    '    model="smollm2",',
    '    messages=[{"role": "user", "content": "Hello"}],',
    ')',
    'print(reply.choices[0].message.content)',
  ].join('\n');
}

export const loginSnippet = (origin: string): string => `tertulia login --url ${origin}`;
