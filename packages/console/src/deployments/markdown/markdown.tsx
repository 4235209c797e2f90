import ReactMarkdown from 'react-markdown';
import { isIntricate } from './is-intricate.ts';

const isLink = /^https?:\/\//i;

/** Markdown that anybody may write: no HTML, no images, and links to websites only. */
export default function Markdown({ text }: { text: string }) {
  if (isIntricate(text)) return <pre className="markdown">{text}</pre>;
  return (
    <div className="markdown">
      <ReactMarkdown
        skipHtml
        disallowedElements={['img']}
        urlTransform={(url) => (isLink.test(url) ? url : '')}
        components={{
          a: ({ href, children }) =>
            href ? (
              <a href={href} target="_blank" rel="noreferrer noopener">
                {children}
              </a>
            ) : (
              <>{children}</>
            ),
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
