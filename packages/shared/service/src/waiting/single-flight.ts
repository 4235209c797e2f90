/** Concurrent callers share one run of the work; the first call after it has succeeded or failed starts it again. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let flight: Promise<T> | undefined;
  return () => {
    flight ??= work().finally(() => {
      flight = undefined;
    });
    return flight;
  };
}

/** The same for each key. */
export function singleFlights<T>() {
  const flights = new Map<string, Promise<T>>();
  return {
    underWay: (key: string): Promise<T> | undefined => flights.get(key),
    run(key: string, work: () => Promise<T>): Promise<T> {
      const known = flights.get(key);
      if (known) return known;
      const flight = work().finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
  };
}
