import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/queries.ts';
import { sessions } from './api/session.ts';
import { router } from './routes.tsx';
import { applyTheme, storedTheme } from './shell/theme.ts';
import { allowOnlyEmptyHtml, keepZodFromCompiling } from './ui/page-policy.ts';
import './ui/tokens.css';
import './ui/styles.css';

allowOnlyEmptyHtml();
keepZodFromCompiling();
applyTheme(storedTheme());
sessions.follow();

const app = document.querySelector('#app');
if (!app) throw new Error('index.html has no #app');
createRoot(app).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
