import { finishSignIn, whoIsSignedIn } from './sign-in.js';

const state = document.querySelector('#state');
try {
  await finishSignIn(window);
  state.textContent = (await whoIsSignedIn(window)).words;
} catch (error) {
  state.textContent = error.message;
}
