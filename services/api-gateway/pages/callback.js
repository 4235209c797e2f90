import { finishSignIn, isOfThisTab, whoIsSignedIn } from './sign-in.js';
import { readTerminalSignIn } from './terminal-sign-in.js';

const state = document.querySelector('#state');
try {
  const terminal = isOfThisTab(window) ? null : await readTerminalSignIn(window);
  if (terminal) {
    history.replaceState(null, '', location.pathname);
    askForTerminal(terminal);
  } else {
    await finishSignIn(window);
    state.textContent = (await whoIsSignedIn(window)).words;
  }
} catch (error) {
  state.textContent = error.message;
}

/** Hands the code over once the person has confirmed that the terminal is theirs. */
function askForTerminal({ confirmation, address, code }) {
  const [shown, confirm] = ['#terminal', '#confirm'].map((name) => document.querySelector(name));
  state.textContent = 'A terminal asks to sign in as you.';
  document.querySelector('#confirmation').textContent = confirmation;
  shown.hidden = false;
  confirm.addEventListener('click', () => {
    shown.hidden = true;
    if (address !== undefined) {
      location.replace(address);
      return;
    }
    state.textContent = 'Paste this code into your terminal, and give it to nobody else:';
    document.querySelector('#code').textContent = code;
  });
}
