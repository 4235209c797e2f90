import { expect, test } from 'vitest';
import { type EnterStep, enterStep } from './enter-step.ts';
import { type RemoveStep, removeStep } from './remove-step.ts';

const own = 'own';
const other = 'other';

const records = {
  none: null,
  'marked, not made': { deployment_id: own, mark: 'm', uid: null },
  'with its uid': { deployment_id: own, mark: 'm', uid: 'u' },
  'of before, with its uid': { deployment_id: own, mark: null, uid: 'u' },
  'of another, not made': { deployment_id: other, mark: 'm', uid: null },
  'of another, with its uid': { deployment_id: other, mark: 'm', uid: 'u' },
} as const;

const found = { uid: 'u', mark: null, namedDeployment: null, isTerminating: false, holder: 'this:3' } as const;
const finds = {
  nothing: null,
  'the uid': found,
  'the uid, naming another': { ...found, namedDeployment: other },
  'the mark': { ...found, uid: 'v', mark: 'm' },
  'another uid': { ...found, uid: 'v' },
  'another uid, naming us': { ...found, uid: 'v', namedDeployment: own },
  'another uid and mark, naming us': { ...found, uid: 'v', mark: 'x', namedDeployment: own },
} as const;

type Row = readonly [first: EnterStep, later: EnterStep, finds: EnterStep, remove: RemoveStep];

/** Record × found × (the first deploy, a later deploy, any other claim), and what an uninstall does about it. */
const table: Record<keyof typeof records, Record<keyof typeof finds, Row>> = {
  none: {
    nothing: ['record', 'record', 'absent', 'gone'],
    'the uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'the uid, naming another': ['foreign', 'foreign', 'foreign', 'gone'],
    'the mark': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid, naming us': ['foreign', 'learn', 'learn', 'gone'],
    'another uid and mark, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
  },
  'marked, not made': {
    nothing: ['make', 'make', 'absent', 'gone'],
    'the uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'the uid, naming another': ['foreign', 'foreign', 'foreign', 'gone'],
    'the mark': ['learn', 'learn', 'learn', 'delete'],
    'another uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid, naming us': ['foreign', 'learn', 'learn', 'gone'],
    'another uid and mark, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
  },
  'with its uid': {
    nothing: ['record', 'record', 'absent', 'gone'],
    'the uid': ['enter', 'enter', 'enter', 'delete'],
    'the uid, naming another': ['enter', 'enter', 'enter', 'delete'],
    'the mark': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid and mark, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
  },
  'of before, with its uid': {
    nothing: ['record', 'record', 'absent', 'gone'],
    'the uid': ['enter', 'enter', 'enter', 'delete'],
    'the uid, naming another': ['enter', 'enter', 'enter', 'delete'],
    'the mark': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid and mark, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
  },
  'of another, not made': {
    nothing: ['record', 'record', 'absent', 'gone'],
    'the uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'the uid, naming another': ['foreign', 'foreign', 'foreign', 'gone'],
    'the mark': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid and mark, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
  },
  'of another, with its uid': {
    nothing: ['record', 'record', 'absent', 'gone'],
    'the uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'the uid, naming another': ['foreign', 'foreign', 'foreign', 'gone'],
    'the mark': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
    'another uid and mark, naming us': ['foreign', 'foreign', 'foreign', 'gone'],
  },
};

const rows = Object.entries(table).flatMap(([recorded, byFind]) =>
  Object.entries(byFind).map(([seen, row]) => [recorded, seen, row] as const),
);
const recordOf = (name: string) => records[name as keyof typeof records];
const findOf = (name: string) => finds[name as keyof typeof finds];

test.for(rows)('recorded: %s; found: %s', ([recorded, seen, [first, later, finding, removal]]) => {
  const step = (claim: { makes: boolean; isFirst: boolean }) =>
    enterStep(recordOf(recorded), findOf(seen), { deployment_id: own, adopts: false, ...claim });

  expect([
    step({ makes: true, isFirst: true }),
    step({ makes: true, isFirst: false }),
    step({ makes: false, isFirst: false }),
    removeStep(recordOf(recorded), findOf(seen), { deployment_id: own, task_id: 'this', fence: 3 }),
  ]).toEqual([first, later, finding, removal]);
});

test('a claim that adopts takes a namespace that no deployment has, and never creates one', () => {
  const claim = { deployment_id: own, makes: true, isFirst: true, adopts: true };
  const stepsBy = (record: keyof typeof records) =>
    Object.fromEntries(Object.keys(finds).map((name) => [name, enterStep(records[record], findOf(name), claim)]));
  const adopted = Object.fromEntries(Object.keys(finds).map((name) => [name, 'adopt']));

  expect(stepsBy('none')).toEqual({ ...adopted, nothing: 'absent' });
  expect(stepsBy('with its uid')).toEqual({
    ...adopted,
    nothing: 'record',
    'the uid': 'enter',
    'the uid, naming another': 'enter',
  });
  expect(stepsBy('of another, with its uid')).toEqual({
    ...adopted,
    nothing: 'absent',
    'the uid': 'foreign',
    'the uid, naming another': 'foreign',
  });
  expect(enterStep(null, { ...found, isTerminating: true }, claim)).toBe('foreign');
});

test('a namespace that is being deleted is not entered once its uid is recorded', () => {
  const claim = { deployment_id: own, makes: true, isFirst: false, adopts: false };
  const terminating = { ...found, isTerminating: true };

  expect(enterStep(records['with its uid'], terminating, claim)).toBe('terminating');
  expect(enterStep(records['marked, not made'], { ...terminating, mark: 'm' }, claim)).toBe('learn');
  expect(removeStep(records['with its uid'], terminating, { ...claim, task_id: 'x', fence: 1 })).toBe('wait');
});

test.for(['this:2', 'this:4', 'next:1', ''])(
  'a namespace that names the claim %j is not deleted by another claim',
  (holder) => {
    const claim = { deployment_id: own, task_id: 'this', fence: 3 };

    expect(removeStep(records['with its uid'], { ...found, holder }, claim)).toBe('taken over');
  },
);
