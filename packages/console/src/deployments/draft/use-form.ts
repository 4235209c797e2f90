import type { HelmChart } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { oneOf } from '../../api/reads.ts';
import { type Form, formOf } from '../../form/parsed-form.ts';

interface ChartForm {
  chart: HelmChart;
  /** Null if the chart has none. */
  form: Form | null;
}

export interface ReadForm {
  data: ChartForm | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** A chart with its form. */
export function useForm(chartId: string | null): ReadForm {
  const { data, error, refetch } = useQuery({ ...oneOf('helmCharts', chartId ?? ''), enabled: chartId !== null });
  const read = useMemo((): Pick<ReadForm, 'data' | 'error'> => {
    if (data === undefined) return { data: undefined, error: null };
    try {
      return { data: { chart: data.row, form: formOf(data.row.values_ui) }, error: null };
    } catch (cause) {
      return { data: undefined, error: cause instanceof Error ? cause : new Error('The form cannot be read') };
    }
  }, [data]);
  return { data: read.data, error: read.error ?? error, refetch };
}
