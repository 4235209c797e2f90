import { Bug } from '@berth/contracts/errors';
import { isJsonObject, Json, type JsonValue } from '@berth/contracts/fields/json';
import type { Budget } from '../budget/budget.ts';
import { sameText } from '../budget/same-value.ts';

/** Far more than real charts need, whose rules have some ten operators and values. */
const maxNodes = 500;
/** The limit for all rules of a form together. */
export const maxNodesOfForm = 5_000;
const maxDepth = 20;
const maxPathLength = 500;

type Evaluate = (rule: JsonValue | undefined) => JsonValue;
type Operator = (args: readonly JsonValue[], evaluate: Evaluate, budget: Budget) => JsonValue;

/**
 * The operators of JsonLogic that rules may use. None evaluates a rule once per item of a list, so the size of a rule limits its
 * cost; and none returns a value larger than its arguments.
 */
const operators: Record<string, Operator> = {
  '==': (args, evaluate, budget) => looselyEqual(evaluate(args[0]), evaluate(args[1]), budget),
  '!=': (args, evaluate, budget) => !looselyEqual(evaluate(args[0]), evaluate(args[1]), budget),
  '===': (args, evaluate, budget) => equal(evaluate(args[0]), evaluate(args[1]), budget),
  '!==': (args, evaluate, budget) => !equal(evaluate(args[0]), evaluate(args[1]), budget),
  '!': ([arg], evaluate) => !isTruthy(evaluate(arg)),
  '!!': ([arg], evaluate) => isTruthy(evaluate(arg)),
  and: (args, evaluate) => firstOrLast(args, evaluate, (value) => !isTruthy(value)),
  or: (args, evaluate) => firstOrLast(args, evaluate, isTruthy),
  if: choose,
  '?:': choose,
  '<': (args, evaluate, budget) => inOrder(args.map(evaluate), budget, (a, b) => a < b),
  '<=': (args, evaluate, budget) => inOrder(args.map(evaluate), budget, (a, b) => a <= b),
  '>': (args, evaluate, budget) => inOrder(args.map(evaluate), budget, (a, b) => a > b),
  '>=': (args, evaluate, budget) => inOrder(args.map(evaluate), budget, (a, b) => a >= b),
  substr: (args, evaluate, budget) => partOf(args.map(evaluate), budget),
  in: (args, evaluate, budget) => isIn(evaluate(args[0]), evaluate(args[1]), budget),
};

const operatorNames = ['var', ...Object.keys(operators)];

/** The value of a rule for the inputs of a config; absent inputs are null. */
export function runRule(rule: JsonValue, config: JsonValue, budget: Budget): JsonValue {
  const evaluate: Evaluate = (node = null) => {
    budget.step();
    if (Array.isArray(node)) return node.map(evaluate);
    if (!isJsonObject(node)) return node;
    const [name = '', operand = null] = Object.entries(node)[0] ?? [];
    const args = Array.isArray(operand) ? operand : [operand];
    if (name === 'var') return valueAt(config, pathIn(args[0]), budget) ?? evaluate(args[1]);
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (!operator) throw new Bug(`a rule was accepted with the operator ${name}, which does not exist`);
    return operator(args, evaluate, budget);
  };
  return evaluate(rule);
}

const pathIn = (path: JsonValue = ''): string => (isScalar(path) ? String(path ?? '') : '');

function valueAt(config: JsonValue, path: string, budget: Budget): JsonValue {
  let value = config;
  if (path === '') return value;
  for (const key of path.split('.')) {
    budget.step();
    value = memberOf(value, key);
  }
  return value;
}

function memberOf(value: JsonValue, key: string): JsonValue {
  if (Array.isArray(value)) return (/^\d+$/.test(key) ? value[Number(key)] : null) ?? null;
  return isJsonObject(value) && Object.hasOwn(value, key) ? (value[key] ?? null) : null;
}

function choose(args: readonly JsonValue[], evaluate: Evaluate): JsonValue {
  for (let index = 0; index < args.length; index += 2) {
    const isElse = index === args.length - 1;
    if (isElse) return evaluate(args[index]);
    if (isTruthy(evaluate(args[index]))) return evaluate(args[index + 1]);
  }
  return null;
}

function firstOrLast(args: readonly JsonValue[], evaluate: Evaluate, stops: (value: JsonValue) => boolean): JsonValue {
  let value: JsonValue = null;
  for (const arg of args) {
    value = evaluate(arg);
    if (stops(value)) return value;
  }
  return value;
}

/** As in JsonLogic, an empty list is false. */
const isTruthy = (value: JsonValue): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const isScalar = (value: JsonValue): value is string | number | boolean | null =>
  typeof value !== 'object' || value === null;

/** Lists and objects never equal anything: two JavaScript objects are never identical. */
function equal(a: JsonValue, b: JsonValue, budget: Budget): boolean {
  if (!isScalar(a) || !isScalar(b)) return false;
  if (typeof a === 'string' && typeof b === 'string') return sameText(a, b, budget);
  return a === b;
}

/** `1` equals `"1"`, and true equals 1. */
function looselyEqual(a: JsonValue, b: JsonValue, budget: Budget): boolean {
  if (!isScalar(a) || !isScalar(b)) return false;
  if (typeof a === typeof b || a === null || b === null) return equal(a, b, budget);
  return numberOf(a, budget) === numberOf(b, budget);
}

/** Compares two values, or checks that the second of three lies between the others; strings as text, all others as numbers. */
function inOrder(
  values: readonly JsonValue[],
  budget: Budget,
  holds: (a: string | number, b: string | number) => boolean,
): boolean {
  const pair = (a: JsonValue = null, b: JsonValue = null) => {
    if (typeof a !== 'string' || typeof b !== 'string') return holds(numberOf(a, budget), numberOf(b, budget));
    budget.step(Math.ceil(Math.min(a.length, b.length) / 1024));
    return holds(a, b);
  };
  const [first, second, third] = values;
  return pair(first, second) && (third === undefined || pair(second, third));
}

function numberOf(value: JsonValue, budget: Budget): number {
  if (!isScalar(value)) return Number.NaN;
  if (typeof value === 'string') budget.step(Math.ceil(value.length / 1024));
  return Number(value);
}

/** A part of a text. A negative start counts from the end; a negative length leaves out that many characters at the end. */
function partOf([whole = null, start = null, length = null]: readonly JsonValue[], budget: Budget): JsonValue {
  const text = isScalar(whole) ? String(whole ?? '') : '';
  budget.step(Math.ceil(text.length / 1024));
  const from = numberOf(start, budget) || 0;
  const rest = text.slice(from);
  if (length === null) return rest;
  return rest.slice(0, numberOf(length, budget) || 0);
}

/** Whether a value is in a list, or a text within another. */
function isIn(part: JsonValue, whole: JsonValue, budget: Budget): boolean {
  if (Array.isArray(whole)) {
    return whole.some((item) => {
      budget.step();
      return equal(item, part, budget);
    });
  }
  if (typeof part !== 'string' || typeof whole !== 'string') return false;
  // The worst case of a search: each character is compared with each other.
  budget.step(Math.ceil((part.length * whole.length) / 4096));
  return whole.includes(part);
}

/** The number of operators and values in a rule. */
export function nodesIn(rule: JsonValue): number {
  if (typeof rule !== 'object' || rule === null) return 1;
  return Object.values(rule).reduce<number>((sum, node) => sum + nodesIn(node), 1);
}

/** Why a rule cannot be evaluated, to be appended to its path; undefined if it can. */
function ruleProblem(rule: JsonValue): string | undefined {
  if (nodesIn(rule) > maxNodes) return `must not have more than ${maxNodes} operators and values`;
  return problemIn(rule, 1);
}

function problemIn(node: JsonValue, depth: number): string | undefined {
  if (depth > maxDepth) return `must not be deeper than ${maxDepth} operators and lists`;
  if (Array.isArray(node)) return firstProblem(node, depth);
  if (!isJsonObject(node)) return undefined;

  const entries = Object.entries(node);
  const [name = '', operand = null] = entries[0] ?? [];
  if (entries.length !== 1 || !operatorNames.includes(name)) {
    return `must use one operator of ${operatorNames.join(' ')} at a time`;
  }
  const args = Array.isArray(operand) ? operand : [operand];
  return name === 'var' ? variableProblem(args) : firstProblem(args, depth);
}

function firstProblem(nodes: readonly JsonValue[], depth: number): string | undefined {
  for (const node of nodes) {
    const problem = problemIn(node, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function variableProblem([path = '', fallback = null]: readonly JsonValue[]): string | undefined {
  if (typeof path !== 'string' && typeof path !== 'number') return 'must name the input of a var by a text';
  if (String(path).length > maxPathLength) return `must not name a var by more than ${maxPathLength} characters`;
  return isScalar(fallback) ? undefined : 'must not have a list or an operator as the default of a var';
}

/** JsonLogic over all inputs. It is checked when the chart is read, so that evaluating any form is cheap. */
export const ShowRule = Json.superRefine((rule, context) => {
  // Null is not an empty rule but an error.
  const message = rule === null ? 'must not be null' : ruleProblem(rule);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});
