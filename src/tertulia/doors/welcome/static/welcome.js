// The first page: set up, join or sign in, then ask. What models say is only ever shown as text.
const $ = (id) => document.getElementById(id);
const secret = location.hash.slice(1);
let conversation = null;
let round = null;
let source = null;

async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body && JSON.stringify(body),
  });
  const data = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(data?.error?.message ?? `The server answered ${answer.status}.`);
  return data;
}

function say(problem) {
  $("problem").textContent = problem;
  $("problem").hidden = !problem;
}

function onSubmit(id, work) {
  $(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    say("");
    try {
      await work(Object.fromEntries(new FormData(event.target)));
    } catch (error) {
      say(error.message);
    }
  });
}

function only(id) {
  for (const name of ["setup", "join", "reset", "signin", "table"]) $(name).hidden = name !== id;
}

async function enter() {
  history.replaceState(null, "", "/");
  const me = await call("GET", "/api/me");
  $("who").textContent = `${me.user.name || me.user.email} · ${me.workspace.name}`;
  only("table");
  await showModels();
  $("message").focus();
}

async function showModels() {
  const { models, problems } = await call("GET", "/api/models");
  const liked = models.filter((model) => model.connection !== "builtin").slice(0, 2);
  const first = new Set((liked.length ? liked : models).map((model) => model.id));
  for (const model of models.slice(0, 40)) {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), {
      type: "checkbox", name: "models", value: model.id, checked: first.has(model.id),
    });
    label.append(box, model.id);
    $("models").append(label);
  }
  $("hint").textContent = liked.length
    ? problems.map((problem) => problem.message).join(" ")
    : "Only the built-in models are here, and they are small. Set OPENAI_API_KEY, or start Ollama, for real ones.";
}

function showRound(view) {
  round = view.id;
  const question = Object.assign(document.createElement("p"), {
    className: "question", textContent: view.question.content,
  });
  const lanes = Object.assign(document.createElement("div"), { className: "lanes" });
  for (const reply of view.replies) lanes.append(laneOf(reply));
  $("rounds").append(question, lanes);
  lanes.scrollIntoView({ block: "nearest" });
}

function laneOf(reply) {
  const lane = Object.assign(document.createElement("article"), { className: "lane", id: reply.id });
  lane.innerHTML = '<h3><span class="name"></span><span class="state"></span></h3><div class="text"></div><div class="note"></div>';
  lane.querySelector(".name").textContent = reply.lane;
  lane.querySelector(".state").textContent = reply.status;
  lane.querySelector(".text").textContent = reply.content;
  return lane;
}

const within = (id, part) => document.querySelector(`#${CSS.escape(id)} .${part}`);

const heard = {
  "reply.started": (event) => { within(event.reply_id, "state").textContent = "thinking…"; },
  "reply.text": (event) => {
    within(event.reply_id, "text").append(event.text);
    within(event.reply_id, "state").textContent = "writing…";
  },
  "reply.status": (event) => { within(event.reply_id, "note").textContent = event.message; },
  "reply.closed": ({ reply }) => {
    within(reply.id, "text").textContent = reply.content;
    within(reply.id, "state").textContent = reply.cost ? `${reply.status} · $${reply.cost.toFixed(4)}` : reply.status;
    within(reply.id, "note").textContent = reply.error?.message ?? "";
  },
  "round.closed": () => { $("stop").hidden = true; },
};

function follow(after) {
  source?.close();
  source = new EventSource(`/api/conversations/${conversation}/events?after=${after}`);
  source.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    heard[event.type]?.(event);
  };
}

onSubmit("setup", async (form) => { await call("POST", "/api/setup", { ...form, token: secret }); await enter(); });
for (const id of ["join", "reset"]) {
  onSubmit(id, async (form) => { await call("POST", "/api/links/accept", { ...form, token: secret }); await enter(); });
}
onSubmit("signin", async (form) => { await call("POST", "/api/session", form); await enter(); });
onSubmit("ask", async (form) => {
  const models = [...document.querySelectorAll("[name=models]:checked")].map((box) => box.value);
  const turn = await call("POST", "/api/turn", {
    message: form.message, models, conversation_id: conversation, idempotency_key: crypto.randomUUID?.(),
  });
  conversation = turn.conversation.id;
  $("message").value = "";
  $("stop").hidden = false;
  showRound(turn.round);
  follow(turn.last_event_id);
});
$("stop").addEventListener("click", () => call("POST", `/api/rounds/${round}/stop`).catch((error) => say(error.message)));
$("message").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("ask").requestSubmit();
  }
});

const wanted = location.pathname.slice(1);
if (secret && (wanted === "join" || wanted === "reset")) only(wanted);
else if ((await call("GET", "/api/setup")).needed) {
  only(secret ? "setup" : "signin");
  $("no-link").hidden = Boolean(secret);
} else {
  await enter().catch(() => only("signin"));
}
