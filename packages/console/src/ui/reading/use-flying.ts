import { useRef } from 'react';

/** More rows in one frame than a wheel moves: nobody reads during such a jump. */
const jump = 16;

interface Flight {
  /** The index of the first row drawn. */
  first: number;
  isFlying: boolean;
}

/** Rows fly past from the first jump until scrolling ends. */
export const flightAfter = (before: Flight, isScrolling: boolean, first: number): Flight => ({
  first,
  isFlying: isScrolling && (before.isFlying || Math.abs(first - before.first) > jump),
});

/** Whether rows fly past, as when the scroll bar is dragged. */
export function useFlying(isScrolling: boolean, first: number): boolean {
  const flight = useRef<Flight>({ first, isFlying: false });
  flight.current = flightAfter(flight.current, isScrolling, first);
  return flight.current.isFlying;
}
