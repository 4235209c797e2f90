import { signOut, startSignIn, whoIsSignedIn } from './sign-in.js';

const state = document.querySelector('#state');
const signInButton = document.querySelector('#sign-in');
const signOutButton = document.querySelector('#sign-out');

async function show() {
  const { words, signedIn } = await whoIsSignedIn(window);
  state.textContent = words;
  signInButton.hidden = signedIn;
  signOutButton.hidden = !signedIn;
}

const showError = (error) => {
  state.textContent = error.message;
  signInButton.disabled = false;
};

signInButton.addEventListener('click', () => {
  signInButton.disabled = true;
  startSignIn(window)
    .then((address) => location.assign(address))
    .catch(showError);
});
signOutButton.addEventListener('click', () => {
  signOut(window);
  show().catch(showError);
});
show().catch(showError);
