import { Link } from '@tanstack/react-router';
import { recent } from '../shell/recent.ts';

/** What the viewer visited last, in this browser. */
export function Recent() {
  const places = recent();
  if (places.length === 0) return null;
  return (
    <section className="section">
      <header>
        <h2>Recently visited</h2>
      </header>
      <ul className="panel recent">
        {places.map(({ id, to, name }) => (
          <li key={id}>
            <Link to={to} params={{ id, tab: undefined }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
