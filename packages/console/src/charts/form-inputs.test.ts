import { describe, expect, it } from 'vitest';
import { actionTitles, formInputs } from './form-inputs.ts';

describe('the form of a chart', () => {
  it('names what it asks for, in order', () => {
    const inputs = [
      { id: 'name', label: 'Name', type: 'text', required: true, helpText: 'What it is called' },
      { id: 'token', type: 'CollectionSelect', collection: 'secrets', showIfAll: [{ field: 'name', value: 'x' }] },
    ];
    expect(formInputs({ inputs })).toEqual([
      { id: 'name', label: 'Name', type: 'text', isRequired: true, help: 'What it is called', isConditional: false },
      {
        id: 'token',
        label: 'token',
        type: 'CollectionSelect of secrets',
        isRequired: false,
        help: '',
        isConditional: true,
      },
    ]);
  });

  it('is empty for a chart without files', () => {
    expect(formInputs(null)).toEqual([]);
    expect(actionTitles(null)).toEqual([]);
  });

  it('names the actions', () => {
    expect(actionTitles({ actions: [{ id: 'say', title: 'Say it' }, { id: 'run' }] })).toEqual(['Say it', 'run']);
  });
});
