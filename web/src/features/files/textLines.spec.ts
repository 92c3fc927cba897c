import { ApiError } from '$api/client';
import { beforeEach, expect, it, vi } from 'vitest';
import { readFile, type FileText } from './requests';
import { TextLines } from './textLines.svelte';

vi.mock('./requests', () => ({ readFile: vi.fn() }));

const answer = vi.mocked(readFile);
const deleted = new ApiError(404, 'not_found', 'There is no such file.');
const text = {
  path: 'notes.txt',
  content: 'One\nTwo\n',
  start_line: 1,
  end_line: 2,
  total_lines: 5000,
  truncated: false,
} as FileText;
const opened = async (): Promise<TextLines> => {
  const lines = new TextLines({ project_id: 'prj_1', id: 'fil_1' });
  await lines.open();
  return lines;
};

beforeEach(() => {
  answer.mockReset().mockResolvedValue(text);
});

it('knows that a file was deleted since it was opened, and that it is back', async () => {
  const lines = await opened();
  answer.mockRejectedValueOnce(deleted);
  await lines.checkExists();
  expect(lines.isDeleted).toBe(true);
  await lines.checkExists();
  expect(lines.isDeleted).toBe(false);
});

it('knows it from lines that cannot be fetched any more', async () => {
  const lines = await opened();
  answer.mockRejectedValue(deleted);
  await lines.open(4000);
  expect(lines.isDeleted).toBe(true);
});

it('takes no other problem for a deletion', async () => {
  const lines = await opened();
  answer.mockRejectedValue(new ApiError(503, 'busy', 'Try again.'));
  await lines.checkExists();
  await lines.open(4000);
  expect(lines.problem).toBe('Try again.');
  expect(lines.isDeleted).toBe(false);
});
