import { useRef } from 'react';

/** More rows in one frame than a wheel moves: nobody reads during such a jump. */
const jump = 16;

/** Whether rows fly past, as when the scroll bar is dragged, until scrolling ends. `first` is the index of the first row drawn. */
export function useFlying(isScrolling: boolean, first: number): boolean {
  const last = useRef({ first, isFlying: false });
  const { current } = last;
  const isFlying = isScrolling && (current.isFlying || Math.abs(first - current.first) > jump);
  last.current = { first, isFlying };
  return isFlying;
}
