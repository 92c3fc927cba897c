/** A round as it is laid out: a lane for each seat, with its attempts, and below them who read them all. */
import type { Reply, Round } from '$api/client';
import { isWriting } from './applyEvent';

export interface Lane {
  readonly name: string;
  /** Oldest first; never empty. */
  readonly attempts: readonly Reply[];
}

/** The lanes that answer the question, in the order of the table. */
export const answerLanes = (round: Round): Lane[] =>
  grouped(round.replies.filter((reply) => reply.kind === 'answer'));

/** Those who joined or ranked the answers. */
export const reviewLanes = (round: Round): Lane[] =>
  grouped(round.replies.filter((reply) => reply.kind !== 'answer'));

/** Tell whether a round is read from its beginning: answers beside each other do not end at one height. */
export const hasParallelAnswers = (round: Round): boolean =>
  answerLanes(round).length > 1 && reviewLanes(round).length === 0;

/** The attempt that is shown: the one the person picked, else the newest. */
export function shownAttempt(lane: Lane, picked: string | undefined): Reply {
  return lane.attempts.find((reply) => reply.id === picked) ?? (lane.attempts.at(-1) as Reply);
}

/** Tell whether a reply can go on where it stopped: only the newest of its lane. */
export const canContinue = (lane: Lane, reply: Reply): boolean =>
  lane.attempts.at(-1)?.id === reply.id && ['stopped', 'interrupted', 'failed'].includes(reply.status);

/** Tell whether there is something to merge or to judge. */
export const canMergeOrJudge = (lanes: readonly Lane[]): boolean =>
  lanes.length > 1 &&
  lanes.every((lane) => !lane.attempts.some(isWriting)) &&
  lanes.some((lane) => lane.attempts.some((reply) => reply.content));

/** The name of a lane as people read it: the model's, and which seat of the same model it is. */
export function laneTitle(reply: Reply, title: string | undefined): string {
  const seat = reply.kind === 'answer' ? /#\d+$/.exec(reply.lane)?.[0] : undefined;
  const name = title ?? reply.model.split('/').at(-1) ?? reply.model;
  return seat ? `${name} ${seat}` : name;
}

function grouped(replies: readonly Reply[]): Lane[] {
  const lanes = new Map<string, Reply[]>();
  for (const reply of replies) lanes.set(reply.lane, [...(lanes.get(reply.lane) ?? []), reply]);
  return [...lanes].map(([name, attempts]) => ({
    name,
    attempts: attempts.toSorted((a, b) => a.attempt - b.attempt),
  }));
}
