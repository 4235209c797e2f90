import type { FieldError, JsonObject } from '@berth/client';
import { lazy, Suspense, useMemo } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { changedInputs, droppedInputs } from '../../form/config.ts';
import type { Form } from '../../form/parsed-form.ts';
import { ValuesForm } from '../../form/values-form.tsx';
import { useAddress } from '../../ui/page/address.ts';
import { LoadingRows } from '../../ui/reading/problem.tsx';
import type { Draft } from './draft.ts';
import { knownKeys } from './known-keys.ts';
import './draft.css';

const OverridePart = lazy(() => import('./override-part.tsx'));

interface DraftInputsProps {
  form: Form | null;
  draft: Draft;
  onChange: (change: (draft: Draft) => Draft) => void;
  envId: string | null;
  /** The values before the change; null for a new deployment. */
  before: { config: JsonObject; values_override: JsonObject | null } | null;
  refused: ReadonlyMap<string, FieldError[]>;
  isDisabled?: boolean;
  /** Who may change the override; null if the viewer may. */
  overrideNeeds: string | null;
}

/** The inputs of the form, and the override. */
export function DraftInputs(props: DraftInputsProps) {
  const { form, draft, onChange, envId, before, refused, isDisabled = false, overrideNeeds } = props;
  const [address, change] = useAddress();
  const setConfig = useMemo(
    () => (next: (config: JsonObject) => JsonObject) => onChange((now) => ({ ...now, config: next(now.config) })),
    [onChange],
  );
  const known = useMemo(() => knownKeys(form, draft.override), [form, draft.override]);
  const dropped = droppedInputs(form, draft.config);
  const changed = before === null ? 0 : changedInputs(before.config, draft.config).length;
  const overridden = Object.keys(draft.override ?? {}).length;
  return (
    <Tabs
      className="draft-tabs"
      selectedKey={address['part'] === 'override' ? 'override' : 'form'}
      onSelectionChange={(part) => change({ part: part === 'form' ? null : String(part) })}
    >
      <TabList className="tabs" aria-label="What you say">
        <Tab id="form" className="tab">
          Form {changed > 0 && <span className="count">{changed} changed</span>}
        </Tab>
        <Tab id="override" className="tab">
          Override {overridden > 0 && <span className="count">{overridden}</span>}
        </Tab>
      </TabList>
      <TabPanel id="form" className="tab-panel">
        {dropped.length > 0 && (
          <p className="notice warn">
            This version has no input {dropped.join(', ')}: {dropped.length === 1 ? 'its value is' : 'their values are'}{' '}
            dropped.
          </p>
        )}
        {form === null ? (
          <p className="muted">This chart has no form. Its values are set by the override.</p>
        ) : (
          <ValuesForm
            form={form}
            config={draft.config}
            onChange={setConfig}
            envId={envId}
            before={before?.config}
            refused={refused}
            isDisabled={isDisabled}
          />
        )}
      </TabPanel>
      <TabPanel id="override" className="tab-panel">
        <Suspense fallback={<LoadingRows rows={5} />}>
          <OverridePart
            override={draft.override}
            typed={draft.typed}
            onChange={(typed, override) =>
              onChange((now) => ({ ...now, typed, override: override === undefined ? now.override : override }))
            }
            known={known}
            needs={overrideNeeds}
          />
        </Suspense>
      </TabPanel>
    </Tabs>
  );
}
