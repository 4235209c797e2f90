import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { useMay } from '../api/me.ts';
import { allOf, type ListQuery, type Row } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { Age } from '../ui/age.tsx';
import { FilterByText } from '../ui/inputs/filter-by-text.tsx';
import { useAddress } from '../ui/page/address.ts';
import { OnlyFor } from '../ui/reading/only-for.tsx';
import { Empty, Problem } from '../ui/reading/problem.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { actionsColumn, createdColumn } from '../ui/page/usual-columns.tsx';
import { activeColumn, useActivation } from './activity.tsx';
import { DeactivateBot, DeleteBot, NameBot } from './bot-dialogs.tsx';
import { BotTokens } from './bot-tokens.tsx';
import './access.css';

type Bot = Row<'bots'>;
type Asked = { what: 'create' } | { what: 'rename' | 'deactivate' | 'delete'; bot: Bot } | null;

const sorts = ['display_name', '-display_name', 'created_at', '-created_at', 'is_active', '-is_active'] as const;

/** The bots: programs with an identity of their own, which see everything and count as maintainers. */
export function BotList() {
  const permission = useMay()('bots', 'create');
  return (
    <Page title="Bots">
      {permission.allowed ? <Bots /> : <OnlyFor what="The administration of bots" permission={permission} />}
    </Page>
  );
}

function Bots() {
  const permission = useMay()('bots', 'update');
  const [address, change] = useAddress();
  const [asked, setAsked] = useState<Asked>(null);
  const { activate, error } = useActivation('bots', async (id) =>
    unwrap(await berth.bots.update({ id, body: { is_active: true } })),
  );
  const tokens = useQuery(allOf('botTokens', {}));
  const byBot = Map.groupBy(tokens.data ?? [], ({ bot_id }) => bot_id);
  const { name, sort } = address;
  const query: ListQuery<'bots'> = {
    ...(name && { display_name: name }),
    sort: sorts.find((known) => known === sort) ?? 'display_name',
  };
  const close = () => setAsked(null);
  const create = () => setAsked({ what: 'create' });

  return (
    <>
      <div className="filters" role="search" aria-label="Filters of bots">
        <FilterByText label="Filter by name" value={name ?? ''} onChange={(text) => change({ name: text })} />
        <span className="meta">Bots see everything, and may do what maintainers may</span>
        <Button className="button primary" onPress={create}>
          New bot
        </Button>
      </div>
      {error !== null && <Problem error={error} />}
      {address['bot'] !== undefined && (
        <BotTokens key={address['bot']} id={address['bot']} onClose={() => change({ bot: null })} />
      )}
      <Rows
        label="Bots"
        resource="bots"
        query={query}
        sort={{ value: query.sort, onChange: (next) => change({ sort: next }) }}
        isSelected={({ id }) => id === address['bot']}
        empty={
          name ? (
            <Empty title="No bot matches this filter" />
          ) : (
            <Empty title="There are no bots yet">
              <p>A bot is an identity for a program, such as a pipeline that deploys. It has tokens of its own.</p>
              <Button className="button" onPress={create}>
                New bot
              </Button>
            </Empty>
          )
        }
        columns={[
          activeColumn('off', 'second'),
          {
            title: 'Name',
            width: 'minmax(140px, 2fr)',
            sort: 'display_name',
            className: 'cell-name',
            narrow: 'first',
            cell: ({ id, display_name }) => (
              <Link to="." search={(before) => ({ ...before, bot: id })} data-row-link>
                {display_name}
              </Link>
            ),
          },
          { title: 'Tokens', width: '80px', cell: ({ id }) => tokens.data && (byBot.get(id)?.length ?? 0) },
          {
            title: 'Last used',
            width: '112px',
            className: 'muted',
            cell: ({ id }) => {
              const last = (byBot.get(id) ?? [])
                .flatMap(({ last_used_at }) => last_used_at ?? [])
                .sort()
                .at(-1);
              return last === undefined ? null : <Age time={last} />;
            },
          },
          createdColumn(),
          actionsColumn<Bot>({
            nameOf: ({ display_name }) => display_name,
            actionsOf: (bot) => [
              { words: 'Show its tokens', onAction: () => change({ bot: bot.id }) },
              { words: 'Rename …', onAction: () => setAsked({ what: 'rename', bot }), permission },
              bot.is_active
                ? { words: 'Deactivate …', onAction: () => setAsked({ what: 'deactivate', bot }), permission }
                : { words: 'Activate', onAction: () => void activate(bot), permission },
              { words: 'Delete …', onAction: () => setAsked({ what: 'delete', bot }), permission, destroys: true },
            ],
          }),
        ]}
      />
      {asked?.what === 'create' && <NameBot bot={null} onClose={close} onNamed={(id) => change({ bot: id })} />}
      {asked?.what === 'rename' && <NameBot bot={asked.bot} onClose={close} onNamed={() => undefined} />}
      {asked?.what === 'deactivate' && (
        <DeactivateBot bot={asked.bot} onClose={close} onUndo={() => void activate(asked.bot)} />
      )}
      {asked?.what === 'delete' && (
        <DeleteBot bot={asked.bot} tokens={byBot.get(asked.bot.id)?.length ?? 0} onClose={close} />
      )}
    </>
  );
}
