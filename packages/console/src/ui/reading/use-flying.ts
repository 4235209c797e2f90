import { useRef } from 'react';

/** More rows than a wheel moves within one frame: a jump, during which nobody reads. */
const jump = 16;

/** Whether rows fly past, as while the scroll bar is dragged. It ends when scrolling does. `first` is the first row that is drawn. */
export function useFlying(isScrolling: boolean, first: number): boolean {
  const last = useRef({ first, isFlying: false });
  const { current } = last;
  const isFlying = isScrolling && (current.isFlying || Math.abs(first - current.first) > jump);
  last.current = { first, isFlying };
  return isFlying;
}
