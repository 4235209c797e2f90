import { autocompletion, type Completion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { jsonKeyAt, keysBelow, type KnownKey, yamlKeyAt } from './keys-at.ts';
import { type EditorLanguage, readOverride } from './read-override.ts';
import { editorTheme } from './theme.ts';

export interface CodeEditorProps {
  /** For screen readers. */
  label: string;
  text: string;
  language: EditorLanguage;
  /** Absent if the text is read-only. */
  onChange?: ((text: string) => void) | undefined;
  /** The keys that completion offers. */
  known?: readonly KnownKey[];
  hint?: string;
}

/**
 * Edits YAML or JSON, completes keys, and marks errors. It lives in a shadow root: elsewhere its styles would need style elements,
 * which the policy of the page forbids.
 */
export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  latest.current = props;
  const { text, language, label, onChange } = props;
  const isReadOnly = onChange === undefined;

  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { text: doc, hint = '' } = latest.current;
    const editor = new EditorView({
      state: EditorState.create({ doc, extensions: [extensionsFor({ language, label, isReadOnly, hint }, latest)] }),
      parent: root,
      root,
    });
    view.current = editor;
    return () => editor.destroy();
  }, [language, label, isReadOnly]);

  useEffect(() => {
    const { current: editor } = view;
    if (editor === null || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  return <div ref={host} className="code-editor" />;
}

/**
 * Replaces a selection by what is typed. Chrome itself would keep the look of what it deletes in a style attribute, which the policy
 * of the page forbids and reports.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, editor) {
    if (inputType !== 'insertText' || data === null || isComposing || editor.state.selection.main.empty) return false;
    editor.dispatch({ ...editor.state.replaceSelection(data), userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

interface Fixed {
  language: EditorLanguage;
  label: string;
  isReadOnly: boolean;
  hint: string;
}

function extensionsFor({ language, label, isReadOnly, hint }: Fixed, latest: { current: CodeEditorProps }): Extension {
  const common = [
    lineNumbers(),
    drawSelection(),
    language === 'json' ? json() : yaml(),
    editorTheme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
  ];
  if (isReadOnly) return [common, EditorState.readOnly.of(true)];
  const complete = (context: CompletionContext) => {
    const place = (language === 'json' ? jsonKeyAt : yamlKeyAt)(context.state.doc.toString(), context.pos);
    if (place === null || (context.pos === place.from && !context.explicit)) return null;
    const options = keysBelow(latest.current.known ?? [], place.path).map(
      ({ key, meaning, isObject }): Completion => ({
        label: key,
        ...(meaning !== undefined && { detail: meaning }),
        ...(language === 'yaml' && { apply: isObject ? `${key}:\n${place.indent}  ` : `${key}: ` }),
      }),
    );
    return { from: place.from, options };
  };
  return [
    common,
    typeOverSelection,
    history(),
    highlightActiveLine(),
    bracketMatching(),
    indentOnInput(),
    indentUnit.of('  '),
    placeholder(hint),
    autocompletion({ override: [complete], icons: false }),
    linter(({ state }) =>
      readOverride(state.doc.toString(), language).problems.map(({ from, to, message }) => ({
        from: Math.min(from, state.doc.length),
        to: Math.min(to, state.doc.length),
        message,
        severity: 'error',
      })),
    ),
    lintGutter(),
    // Tab leaves the editor, so that it does not trap those who use the keyboard alone.
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) latest.current.onChange?.(state.doc.toString());
    }),
  ];
}
