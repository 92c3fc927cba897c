"""Preferences change in many words: the old one is replaced, and what can hold beside the new one stays."""

import pytest

from tertulia.memories.statement_rules import find_statements
from tertulia.memories.subjects import lookup_words, replaces

CHANGED = [
    ("I love sushi.", "I used to love sushi, now I avoid raw fish."),
    ("I prefer to pay by card.", "I prefer to pay in cash now."),
    ("I prefer travelling by train.", "I prefer travelling by night bus now."),
    ("I want all code examples in TypeScript.", "I want all code examples in Kotlin now."),
    ("I'm a strict vegan, so no animal products please.", "I'm no longer vegan; I eat fish and eggs now."),
    ("I like Marvel movies.", "I used to like Marvel movies."),
    ("I drink coffee every morning.", "I've switched to tea."),
    ("I use Windows at home.", "I've switched to Linux."),
    ("I take the bus.", "I've switched to cycling."),
    ("I love horror films.", "I can't watch horror films any more."),
    ("I enjoy video games.", "I stopped playing video games."),
    ("I play tennis on Saturdays.", "I gave up tennis."),
    ("I'm dating Robin.", "Robin and I split up."),
    ("I'm subscribed to Netflix.", "I cancelled Netflix."),
    ("I'm a vegetarian.", "I started eating meat again."),
    ("I like my coffee black.", "I take my coffee with milk now."),
    ("I read mostly fantasy.", "These days I read mostly non-fiction."),
    ("I write Python mostly.", "I mostly write Rust now."),
    ("I'm allergic to cats.", "Turns out I'm not allergic to cats."),
    ("I use Bandcamp for music.", "I ditched Bandcamp for Qobuz."),
    ("I'm on a low-fat diet.", "I'm off the low-fat diet."),
    ("I work late shifts.", "I've switched to early shifts."),
    ("I prefer paper maps.", "I've gone back to digital maps."),
    ("I go swimming every evening.", "I don't swim in the evenings any longer."),
    ("I don't eat fish.", "I eat fish again, now and then."),
    ("I like westerns.", "I don't watch westerns any more."),
    ("I'm a fan of Leeds United.", "I've stopped supporting Leeds United."),
    ("I like quiz shows.", "I'm tired of quiz shows."),
    ("Answer in rhymes.", "Stop answering in rhymes."),
    ("I want you to use footnotes.", "Don't use footnotes any more."),
    ("My favourite soup is borscht.", "Laksa has replaced borscht as my favourite soup."),
    ("My favourite colour is red.", "My favourite colour is mauve."),
    ("My barber is ClipJoint.", "I switched my barber from ClipJoint to Snips."),
    ("Vera Holt is the wife of Ed Moss.", "Vera Holt is the wife of Al Dunn."),
    ("I enjoy long walks in the evening.", "I've fallen out of love with walking."),
    ("I can't stand whisky.", "I've warmed up to whisky."),
    ("I find crosswords dull.", "I've started to enjoy crosswords."),
    ("I hate ironing.", "Ironing is my favourite way to unwind now."),
    ("I'm keen on motor racing.", "After the crash I don't enjoy motor racing at all."),
    ("I do pilates every day.", "I haven't done pilates in months; I quit."),
    ("Port is my drink of choice.", "Port doesn't agree with me any more, so I avoid it."),
    ("I like working from trains.", "I'd much rather work in a library than from trains now."),
    ("My favourite tree is birch.", "Oak is my favourite tree now."),
    ("My tutor is Ilse.", "Ilse left, so my new tutor is Henk."),
    ("The deadline for the grant is 1 March.", "The grant deadline was extended to 15 March."),
    ("I have an appointment with Dr. Ruiz on Monday.", "My appointment with Dr. Ruiz was moved to Thursday."),
    ("My bus leaves at 9:40.", "My bus has been rescheduled to 14:05."),
    ("I weigh 84 kilos.", "I'm down to 79 kilos."),
    ("The budget for the attic is 12,000 euros.", "We raised the attic budget to 15,000 euros."),
    ("I'm looking for a flatmate.", "I found a flatmate."),
    ("Use tabs for indentation.", "Use spaces for indentation instead of tabs."),
    ("I love single malt whisky after dinner.", "I don't drink whisky any more."),
    ("I usually go to choir on Mondays.", "I now go to choir on Wednesdays."),
    ("I'm single and fine with it.", "I got engaged to Ruth last weekend."),
    ("I sing in a choir called Larkrise.", "I left Larkrise and sing in Nightjar now."),
    ("I bank with Lumibank.", "I closed my Lumibank account and opened one with Arbo."),
    ("We decided to use Redis for sessions.", "We changed our minds and will use Postgres for sessions."),
    ("I keep my recipes in Evernote.", "All my recipes are in Obsidian now."),
    ("My brother works at Ardent.", "My brother left Ardent and works at Kilo now."),
    ("Our shop runs on Rails.", "We migrated the shop from Rails to Phoenix."),
    ("My nephew Jory goes to Elm Primary.", "Jory now goes to Birch College."),
    ("I prefer hotel rooms.", "I prefer shared rooms now that I travel with friends."),
]
BOTH_HOLD = [
    ("I drink coffee.", "I've switched to oat milk."),
    ("I use Vim.", "I've switched to Firefox."),
    ("I love coffee.", "I've switched to tea."),
    ("I don't work on Fridays.", "I work on Mondays."),
    ("My mother loves camping.", "I used to love camping."),
    ("I used to smoke.", "I used to drink."),
    ("I like my eggs scrambled.", "I like my steak rare."),
    ("I use Emacs for notes.", "My cousin switched from Emacs to Zed."),
    ("I use Slack.", "Marta moved from Slack to Teams."),
    ("I work late shifts.", "I've switched to early trains."),
    ("I love Paris.", "I no longer live in Paris."),
    ("I stopped playing tennis.", "I play the piano."),
    ("I love red wine.", "I've gone off white wine."),
    ("I enjoy hiking in the Alps.", "I don't enjoy hiking in the rain."),
    ("My sister's flight leaves at 9:40.", "My flight has been rescheduled to 14:05."),
    ("My dentist appointment is on 4 March.", "My haircut appointment has been moved to 11 March."),
    ("I drink two cups of tea a day.", "I'm down to one cup of coffee a day."),
    ("I'm looking for a nanny.", "I found a dentist."),
    ("I work at Lumen.", "I worked at Nokia before that."),
    ("The budget for marketing is 5,000 euros.", "The budget for travel was cut to 2,000 euros."),
    ("My husband loves football.", "I've lost interest in football."),
    ("I worked with Larkrise for a year.", "I left Larkrise and sing in Nightjar now."),
    ("I love Rome.", "I left Rome and travel on to Naples."),
    ("We decided to use Redis for sessions.", "We will use Postgres for reports."),
    ("I usually swim on Mondays.", "I usually run on Tuesdays."),
    ("I worked at Ardent for six years.", "I work at Kilo now."),
    ("My brother works at Ardent.", "My cousin left Ardent and works at Kilo now."),
]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_a_changed_preference_is_replaced(old: str, new: str) -> None:
    assert replaces(new, old)
    assert lookup_words(new) & lookup_words(old)


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_what_can_hold_beside_it_stays(old: str, new: str) -> None:
    assert not replaces(new, old)


@pytest.mark.parametrize(
    "said",
    [
        "I used to love sushi, but now I avoid raw fish.",
        "I started eating meat again.",
        "I just started at Ericsson.",
        "I can't watch horror films any more.",
        "I use Vim.",
        "I take my coffee with milk now.",
        "I got engaged.",
        "I've gone off coffee.",
        "I used to love oysters, now I can't stand them.",
        "I can't handle loud bars any more.",
        "I'm not scared of heights any longer.",
        "I've learned to like early mornings.",
        "I use nano as my editor.",
        "I take 50 mg of sertraline.",
        "I get up at 6:15.",
    ],
)
def test_a_change_is_found_in_a_message(said: str) -> None:
    assert [found.content for found in find_statements(f"{said} What do you advise?")] == [said]


@pytest.mark.parametrize(
    "said",
    [
        "I can't open the file any more.",
        "I can't run the tests any more.",
        "I used to get an error here.",
        "I use Python 3.11 in this script.",
        "I just started reading the docs.",
        "I stopped the container.",
    ],
)
def test_what_changes_in_the_work_at_hand_is_not(said: str) -> None:
    assert find_statements(f"{said} What do you advise?") == []
