interface Runs {
  helm_chart_id: string;
}

interface Version {
  id: string;
  image_tag: string;
  newer: number;
}

export interface Running {
  chart: string;
  tag: string;
  newer: number;
  count: number;
}

/** How many deployments run each version, the furthest behind first. */
export function whoRuns(deployments: readonly Runs[], versions: ReadonlyMap<string, Version>): Running[] {
  const counts = new Map<string, number>();
  for (const { helm_chart_id } of deployments) counts.set(helm_chart_id, (counts.get(helm_chart_id) ?? 0) + 1);
  return [...counts]
    .map(([chart, count]) => {
      const version = versions.get(chart);
      return { chart, count, tag: version?.image_tag ?? chart.slice(0, 8), newer: version?.newer ?? 0 };
    })
    .toSorted((a, b) => b.newer - a.newer || b.count - a.count || a.tag.localeCompare(b.tag));
}
