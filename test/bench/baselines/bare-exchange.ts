/**
 * Two questions and their answers over one connection to a Unix socket, as lines of JSON of the usual size, with nothing
 * around them: no check, no secret, no deadline.
 */
import { connect, createServer, type Server, type Socket } from "node:net";

const ANSWER = `${JSON.stringify({ v: 1, type: "response", ok: true, status: "submitted", next: "n".repeat(100) })}\n`;

/** Calls back for each line that a socket brings. */
function onLine(socket: Socket, handle: (line: string) => void): void {
	let partial = "";
	socket.setEncoding("utf8");
	socket.on("data", (chunk) => {
		const lines = (partial + String(chunk)).split("\n");
		partial = lines.pop() ?? "";
		for (const line of lines) handle(line);
	});
}

/** Answers every line at once. Resolves when it listens. */
export function answerBare(path: string): Promise<Server> {
	const server = createServer((socket) => {
		onLine(socket, (line) => {
			JSON.parse(line);
			socket.write(ANSWER);
		});
		socket.on("error", () => {});
	});
	return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

/** Connects, sends the first line, the second after its answer, and closes after that one's. */
export function exchangeBare(path: string, first: object, second: object): Promise<void> {
	return new Promise((resolve, reject) => {
		const socket = connect(path);
		const questions = [first, second].map((question) => `${JSON.stringify(question)}\n`);
		const ask = () => {
			const question = questions.shift();
			if (question !== undefined) socket.write(question);
			else socket.end();
		};
		socket.on("connect", ask);
		onLine(socket, (line) => {
			JSON.parse(line);
			ask();
		});
		socket.on("error", reject);
		socket.on("close", () => resolve());
	});
}
