import { type Child } from 'hono/jsx';
import { type JSX } from 'hono/jsx/jsx-runtime';

/** Scrolls by itself on narrow screens, which its focus makes possible by keyboard. */
export const Table = ({
  headings,
  children,
}: {
  headings: readonly string[];
  children: Child;
}): JSX.Element => (
  <div class="scrolls" tabindex={0}>
    <table>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
