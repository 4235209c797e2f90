import { useQuery } from '@tanstack/react-query';
import { pageOf, type Row } from '../api/reads.ts';
import { Ago } from '../ui/age.tsx';
import { Copy } from '../ui/copy.tsx';

interface ChartFactsProps {
  chart: Row<'helmCharts'>;
  registry: Row<'helmRegistries'> | undefined;
}

export function ChartFacts({ chart, registry }: ChartFactsProps) {
  const version = useQuery(pageOf('chartVersions', { ids: chart.id, per_page: 1 }));
  const formats = useQuery({
    ...pageOf('helmTagFormats', { per_page: 100 }),
    enabled: chart.tag_format_id !== null,
  });
  const format = formats.data?.items.find(({ id }) => id === chart.tag_format_id);
  const newer = version.data?.items[0]?.newer ?? 0;
  const digest = chart.image_digest.replace(/^sha256:/, '');
  const facts: [string, string | null][] = [
    ['Version', chart.parsed_version],
    ['Revision', chart.parsed_revision],
    ['Branch', chart.parsed_branch],
    ['Commit', chart.parsed_commit],
    ['Tag format', format?.pattern ?? (chart.tag_format_id === null ? 'none: from its Chart.yaml' : null)],
  ];
  return (
    <section className="section">
      <header>
        <h2>Facts</h2>
        {newer > 0 && <span className="newer">↑ {newer} newer</span>}
      </header>
      <dl className="facts">
        <dt>Repository</dt>
        <dd>{registry && `${registry.domain_name}/${registry.repo_name}`}</dd>
        {facts.map(
          ([words, value]) =>
            value !== null && (
              <div key={words} className="fact">
                <dt>{words}</dt>
                <dd className="mono">{value}</dd>
              </div>
            ),
        )}
        <dt>Digest</dt>
        <dd>
          <code title={chart.image_digest}>{digest.slice(0, 7)}</code>{' '}
          <Copy text={chart.image_digest} what="the digest" />
        </dd>
        <dt>Found</dt>
        <dd>
          <Ago time={chart.created_at} />
        </dd>
      </dl>
    </section>
  );
}
