import Archive from '@lucide/svelte/icons/archive';
import Brain from '@lucide/svelte/icons/brain';
import CalendarDays from '@lucide/svelte/icons/calendar-days';
import Cpu from '@lucide/svelte/icons/cpu';
import Folder from '@lucide/svelte/icons/folder';
import FolderPlus from '@lucide/svelte/icons/folder-plus';
import Keyboard from '@lucide/svelte/icons/keyboard';
import LogOut from '@lucide/svelte/icons/log-out';
import MessageSquare from '@lucide/svelte/icons/message-square';
import Monitor from '@lucide/svelte/icons/monitor';
import Moon from '@lucide/svelte/icons/moon';
import PanelLeft from '@lucide/svelte/icons/panel-left';
import Search from '@lucide/svelte/icons/search';
import Settings from '@lucide/svelte/icons/settings';
import SquareCheck from '@lucide/svelte/icons/square-check';
import SquarePen from '@lucide/svelte/icons/square-pen';
import Sun from '@lucide/svelte/icons/sun';
import Sunrise from '@lucide/svelte/icons/sunrise';
import type { Component } from 'svelte';
import { goto } from '$app/navigation';
import type { Conversation, Project } from '$api/client';
import { session } from '$features/session/session.svelte';
import { signOut } from '$features/session/signOut';
import { sidebarState } from '$features/sidebar/sidebarState.svelte';
import { conversationStore } from '$features/sidebar/conversationStore.svelte';
import { theme } from '$lib/theme.svelte';
import { words } from './texts';

/** One thing that the palette offers. */
export interface PaletteEntry {
  readonly id: string;
  readonly kind: keyof typeof words.kinds;
  readonly label: string;
  readonly icon: Component<{ size?: number | string }>;
  /** The shortcut that does the same. */
  readonly keys?: string;
  readonly act: () => void;
}

/** What the palette cannot do by itself. */
export interface PaletteHandlers {
  readonly shortcuts: () => void;
  readonly project: () => void;
}

/** Return the commands that this person can give. */
export function paletteCommands(doors: PaletteHandlers): PaletteEntry[] {
  const go = (path: string) => () => void goto(path);
  const writing: PaletteEntry[] = [
    action('new', words.start, SquarePen, go('/'), 'Mod+Shift+O'),
    action('new-task', words.newTask, SquareCheck, go('/tasks#add')),
    action('new-project', words.newProject, FolderPlus, doors.project),
  ];
  return [
    ...(session.canWrite ? writing : []),
    action('search', words.searchPage, Search, go('/search')),
    action('today', words.today, Sunrise, go('/today')),
    action('calendar', words.calendar, CalendarDays, go('/calendar')),
    action('tasks', words.tasks, SquareCheck, go('/tasks')),
    action('memory', words.memory, Brain, go('/memory')),
    action('projects', words.projects, Folder, go('/projects')),
    action('models', words.models, Cpu, go('/models')),
    action('settings', words.settings, Settings, go('/settings')),
    action('archive', words.archive, Archive, openArchive),
    action('sidebar', words.sidebar, PanelLeft, () => sidebarState.toggle(), 'Mod+B'),
    action('light', words.light, Sun, () => (theme.choice = 'light')),
    action('dark', words.dark, Moon, () => (theme.choice = 'dark')),
    action('system', words.system, Monitor, () => (theme.choice = 'system')),
    action('shortcuts', words.shortcuts, Keyboard, doors.shortcuts, '?'),
    action('sign-out', words.signOut, LogOut, () => void signOut()),
  ];
}

/** Offer to open a project. */
export const projectEntry = (project: Project): PaletteEntry => ({
  id: project.id,
  kind: 'project',
  label: project.name,
  icon: Folder,
  act: () => void goto(`/projects/${project.id}`),
});

/** Offer to open a conversation. */
export const conversationEntry = (conversation: Conversation): PaletteEntry => ({
  id: conversation.id,
  kind: 'conversation',
  label: conversation.title ?? words.untitled,
  icon: MessageSquare,
  act: () => void goto(`/c/${conversation.id}`),
});

/** Offer to search files and conversations for what was typed. */
export const searchEntry = (query: string): PaletteEntry =>
  action(
    'search-for',
    words.searchFor(query),
    Search,
    () => void goto(`/search?${new URLSearchParams({ q: query })}`),
  );

function action(
  id: string,
  label: string,
  icon: PaletteEntry['icon'],
  act: () => void,
  keys?: string,
): PaletteEntry {
  return { id, kind: 'action', label, icon, act, ...(keys ? { keys } : {}) };
}

function openArchive(): void {
  conversationStore.archived = true;
  sidebarState.show();
}
