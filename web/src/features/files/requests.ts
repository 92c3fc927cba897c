/** What is asked of the server about files. */
import { api, unwrap, ApiError, type Schemas } from '$api/client';
import type { Deletion } from '$features/deletions/undo';

export type FileView = Schemas['FileView'];
export type FolderView = Schemas['FolderView'];
export type FilePage = Schemas['FilePage'];
export type FileText = Schemas['FileText'];
export type Version = Schemas['VersionView'];
export type SkippedFile = Schemas['SkippedView'];
export type UploadResult = Schemas['UploadView'];
export type FileHit = Schemas['HitView'];
export type IndexView = Schemas['IndexView'];
export type AttachmentPage = Schemas['AttachmentPage'];
export type Metadata = Partial<Schemas['FileMetadata']>;

const FILES = '/api/projects/{project_id}/files';
const FILE = '/api/projects/{project_id}/files/{file_id}';
const inProject = (project_id: string) => ({ params: { path: { project_id } } });
const atFile = ({ project_id, id }: FileRef) => ({ params: { path: { project_id, file_id: id } } });

/** Where a file is, whatever it is called. */
export type FileRef = Pick<FileView, 'project_id' | 'id'>;

export interface FolderQuery {
  readonly folder: string;
  readonly tag: string;
  readonly after: string;
  readonly limit: number;
}

/** List the files and folders that lie directly in a folder. */
export const listLevel = (projectId: string, { folder, tag, after, limit }: FolderQuery): Promise<FilePage> =>
  unwrap(
    api.GET(FILES, {
      params: { path: { project_id: projectId }, query: { prefix: folder, depth: '1', tag, after, limit } },
    }),
  );

/** List files at any depth by path. */
export const listAll = (projectId: string, folder: string, after = '', limit = 1000): Promise<FilePage> =>
  unwrap(
    api.GET(FILES, { params: { path: { project_id: projectId }, query: { prefix: folder, after, limit } } }),
  );

/** Read a file and some lines of its text. */
export function readFile({ project_id, id }: FileRef, start: number, end: number): Promise<FileText> {
  const query = { start_line: start, end_line: end };
  return unwrap(api.GET(FILE, { params: { path: { project_id, file_id: id }, query } }));
}

export async function createText(projectId: string, path: string): Promise<FileView> {
  const answer = await unwrap(
    api.POST(FILES, {
      params: { path: { project_id: projectId }, query: { if_match: 0 } },
      body: { path, content: '' } as never,
    }),
  );
  return answer.files[0] as FileView;
}

/** Make a text a file's newest version; `ifMatch` is the version that it was made from. */
export const saveText = ({ project_id, id }: FileRef, content: string, ifMatch: number): Promise<FileView> =>
  unwrap(
    api.PUT(FILE, {
      params: { path: { project_id, file_id: id }, query: { if_match: ifMatch } },
      body: { content } as never,
    }),
  );

/** Make the bytes of another file a file's newest version. */
export const replaceBytes = ({ project_id, id }: FileRef, file: Blob): Promise<FileView> =>
  unwrap(
    api.PUT(FILE, {
      params: { path: { project_id, file_id: id } },
      headers: { 'Content-Type': 'application/octet-stream' },
      body: file as never,
      bodySerializer: (body: unknown) => body as Blob,
    }),
  );

/** Change flags, tags or the summary; what is left out stays. */
export const changeMetadata = (file: FileRef, change: Metadata): Promise<FileView> =>
  unwrap(api.PATCH(`${FILE}/metadata`, { ...atFile(file), body: change as Schemas['FileMetadata'] }));

export const moveFile = (file: FileRef, path: string): Promise<FileView> =>
  unwrap(api.POST(`${FILE}/move`, { ...atFile(file), body: { path } }));

export async function moveFolder(projectId: string, from: string, to: string): Promise<number> {
  const body = { from_prefix: from, to_prefix: to };
  return (await unwrap(api.POST(`${FILES}/move`, { ...inProject(projectId), body }))).files;
}

/** Delete files and whole folders, with an undo. */
export const deleteAll = (projectId: string, body: Schemas['FilesDeletion']): Promise<Deletion> =>
  unwrap(api.POST(`${FILES}/deletion`, { ...inProject(projectId), body }));

/** List the files that are attached to a conversation. */
export const listAttachments = (conversationId: string): Promise<AttachmentPage> =>
  unwrap(
    api.GET('/api/conversations/{conversation_id}/files', {
      params: { path: { conversation_id: conversationId }, query: { limit: 1000 } },
    }),
  );

/** Make an attachment a file of its project, for every member to see. */
export const putIntoProject = (file: FileRef): Promise<FileView> =>
  unwrap(api.POST(`${FILE}/put-into-project`, { ...atFile(file), body: {} }));

export const listVersions = async (file: FileRef): Promise<Version[]> =>
  (await unwrap(api.GET(`${FILE}/versions`, atFile(file)))).versions;

export async function fetchDiff({ project_id, id }: FileRef, from: number, to: number): Promise<string> {
  const params = { path: { project_id, file_id: id }, query: { from, to } };
  return (await unwrap(api.GET(`${FILE}/diff`, { params }))).diff;
}

export const restoreVersion = ({ project_id, id }: FileRef, number: number): Promise<FileView> =>
  unwrap(
    api.POST(`${FILE}/versions/{number}/restore`, { params: { path: { project_id, file_id: id, number } } }),
  );

/** Find passages in the files of a project. */
export async function searchFiles(projectId: string, query: string): Promise<FileHit[]> {
  const body = { query, limit: 30, filter: { kinds: ['file'] } } as unknown as Schemas['SearchBody'];
  return (await unwrap(api.POST('/api/projects/{project_id}/search', { ...inProject(projectId), body })))
    .hits;
}

export const getIndex = (projectId: string): Promise<IndexView> =>
  unwrap(api.GET('/api/projects/{project_id}/index', inProject(projectId)));

/** The address of a file's bytes. */
export const contentUrl = ({ project_id, id, hash }: FileRef & { hash: string }): string =>
  `/api/projects/${project_id}/files/${id}/content?of=${hash.slice(0, 16)}`;

export interface UploadOptions {
  readonly prefix: string;
  readonly unpack: boolean;
  readonly signal: AbortSignal;
  readonly onprogress: (bytes: number) => void;
}

/** Where files of a project are sent. */
export const filesUrl = (projectId: string): string => `/api/projects/${projectId}/files`;
/** Where files are sent that are attached to a conversation. */
export const attachmentsUrl = (conversationId: string): string =>
  `/api/conversations/${conversationId}/files`;

/** Send files as one form; only the older kind of request tells how far it has come. */
export function sendForm(
  url: string,
  files: readonly { path: string; file: Blob }[],
  { prefix, unpack, signal, onprogress }: UploadOptions,
): Promise<UploadResult> {
  const form = new FormData();
  form.append('prefix', prefix);
  form.append('unpack', String(unpack));
  for (const { path, file } of files) form.append('files', file, path);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.responseType = 'json';
    request.upload.onprogress = (event) => onprogress(event.loaded);
    request.onload = () =>
      request.status === 201 ? resolve(request.response as UploadResult) : reject(problemOf(request));
    request.onerror = () =>
      reject(new ApiError(0, 'offline', 'The server cannot be reached just now. Try again in a moment.'));
    request.onabort = () => reject(new DOMException('Stopped', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

function problemOf(request: XMLHttpRequest): ApiError {
  const detail = (request.response as { error?: { code: string; message: string } } | null)?.error;
  const message = detail?.message ?? `The server answered ${request.status}.`;
  return new ApiError(request.status, detail?.code ?? 'http_error', message);
}
