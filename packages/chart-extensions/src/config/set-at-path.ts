import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { AppError } from '@berth/contracts/errors';
import type { Budget } from '../budget/budget.ts';
import { copyJson, writeText } from '../budget/copy-json.ts';
import { maxCells, type OutputPath, type PathPart, pathPart } from '../form/output-path.ts';

const emptyCell = 'null,';

interface Slot {
  get(): JsonValue | undefined;
  set(value: JsonValue): void;
}

/** Sets a value at a path and creates missing objects and lists; all of this is counted. */
export function setAtPath(values: JsonObject, path: OutputPath, value: JsonValue, budget: Budget): void {
  const refuse = (why: string): never => {
    throw new AppError('unprocessable', `The output ${path.join('.')} of the chart cannot be set: ${why}`);
  };
  const parts = path.map((text) => pathPart(text) ?? refuse(`${text} is neither a key nor a cell`));

  let container: JsonValue = values;
  for (const [index, part] of parts.entries()) {
    budget.step();
    const slot = slotIn(container, part, { refuse, budget });
    const next = parts[index + 1];
    // Copied, because later outputs may write into it, which must not change the config.
    if (!next) return slot.set(copyJson(value, budget));
    container = slot.get() ?? fresh(slot, next, budget);
  }
}

function fresh(slot: Slot, next: PathPart, budget: Budget): JsonValue {
  budget.write(2);
  const container: JsonValue = 'cell' in next ? [] : {};
  slot.set(container);
  return container;
}

interface Setting {
  refuse: (why: string) => never;
  budget: Budget;
}

function slotIn(container: JsonValue, part: PathPart, { refuse, budget }: Setting): Slot {
  if ('key' in part) {
    const { key } = part;
    if (!isJsonObject(container)) return refuse(`${key} would be a key of something that is not an object`);
    return {
      get: () => (Object.hasOwn(container, key) ? container[key] : undefined),
      set: (value) => {
        writeText(key, budget);
        container[key] = value;
      },
    };
  }
  if (!Array.isArray(container)) return refuse('only a list can have cells');
  const index = cellIndex(container, part.cell);
  if (index >= maxCells) return refuse(`the list would have more than ${maxCells} cells`);
  return {
    get: () => container[index],
    set: (value) => {
      const empty = Math.max(0, index - container.length);
      budget.step(empty);
      budget.write(empty * emptyCell.length + 1);
      while (container.length < index) container.push(null);
      container[index] = value;
    },
  };
}

function cellIndex({ length }: readonly JsonValue[], cell: number | 'append' | 'last'): number {
  if (cell === 'append') return length;
  return cell === 'last' ? Math.max(length - 1, 0) : cell;
}
