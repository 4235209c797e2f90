import type { JsonObject } from '@berth/client';
import { useCallback, useState } from 'react';
import { initialConfig } from '../form/config.ts';
import { formOf } from '../form/parsed-form.ts';
import { ValuesForm } from '../form/values-form.tsx';
import { useAddress } from '../ui/page/address.ts';

/** The form of a chart as people who deploy it see it. Nothing that is typed is sent. */
export default function FormTrial({ valuesUi }: { valuesUi: JsonObject }) {
  const { env } = useAddress()[0];
  const [form] = useState(() => formOf(valuesUi));
  const [config, setConfig] = useState(() => initialConfig(form));
  const change = useCallback((next: (before: JsonObject) => JsonObject) => setConfig(next), []);
  if (form === null) return null;
  return (
    <div className="panel form-trial">
      <p className="meta">
        Nothing is deployed from here.{env === undefined && ' Choose an env to see what its collections offer.'}
      </p>
      <ValuesForm form={form} config={config} onChange={change} envId={env ?? null} />
    </div>
  );
}
