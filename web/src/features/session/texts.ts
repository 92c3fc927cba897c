import { translate } from '$lib/texts';

/** What the pages before one is signed in say. */
export const words = translate({
  email: 'Email',
  emailHint: 'You sign in with it. Nothing is sent there.',
  name: 'Your name',
  password: 'Password',
  newPassword: 'New password',
  showPassword: 'Show the password',
  hidePassword: 'Hide the password',
  busy: 'One moment…',
  waiting: (seconds: number) => `Wait ${seconds} s`,
  setup: {
    title: 'Welcome to Tertulia',
    lead: 'Tell it who you are, and you can ask your first question in a minute.',
    workspace: 'Name of your workspace',
    workspaceHint: 'A team, a family, or just you. You can rename it later.',
    workspaceDefault: 'My workspace',
    action: 'Begin',
    linkTitle: 'This server has no owner yet',
    linkLead:
      'When it starts, the server prints a link that makes you its owner. Open that link, or paste it here.',
    linkNote: 'Cannot find it? Start the server again: it prints a fresh one.',
    doneTitle: 'All set up',
    done: 'This server has its owner already. Sign in, or ask an admin for an invitation.',
  },
  signin: {
    title: 'Welcome back',
    lead: 'Sign in to go on where you stopped.',
    action: 'Sign in',
    forgot: 'Forgot your password? An admin of your workspace can make you a link to choose a new one.',
  },
  join: {
    title: 'You are invited',
    lead: 'Choose how to sign in, and take your place at the table.',
    known: 'You have an account on this server already? Give its email and password.',
    emailHint: 'If the invitation was made for one address, use that one.',
    action: 'Join',
  },
  reset: {
    title: 'Choose a new password',
    lead: 'Your other browsers are signed out when you save it.',
    action: 'Save and sign in',
  },
  link: {
    title: 'The link is needed',
    lead: 'For safety it was taken out of the address bar. Open it once more, or paste it here.',
    label: 'Link',
    action: 'Go on',
  },
  strength: {
    none: 'At least 10 characters. A few words in a row are easy to keep in mind.',
    email: 'Choose something else than your email address.',
    weak: 'Easy to guess. Try a few unrelated words.',
    fair: 'Good. Longer is better still.',
    strong: 'Strong.',
  },
  missing: (count: number) => `${count} more ${count === 1 ? 'character' : 'characters'}.`,
});
