// Shows formulas, which models write in TeX, as MathML, which browsers lay out themselves.

/** Returns the node of a formula, as a block of its own or in a line; `null` for what this does not know. */
export function formula(tex, isBlock) {
  try {
    const math = element("math", ...new Formula(tex).row(null));
    if (isBlock) math.setAttribute("display", "block");
    math.setAttribute("dir", "ltr");
    return math;
  } catch (error) {
    if (error instanceof UnknownTex) return null;
    throw error;
  }
}

class UnknownTex extends Error {}

/** A formula that is read from its beginning to its end. */
class Formula {
  constructor(tex) {
    this.tokens = tex.match(/\\[A-Za-z]+|\\[^]|\d+(?:\.\d+)?|\s+|[^]/g) ?? [];
    this.at = 0;
    this.depth = 0;
  }

  /** Returns the nodes up to a token, which is taken, too; up to the end without one. */
  row(end) {
    this.depth += 1;
    if (this.depth > MOST_NESTED) throw new UnknownTex();
    const nodes = [];
    for (;;) {
      const token = this.peek();
      if (token === undefined && end !== null) throw new UnknownTex();
      if (token === undefined || token === end) break;
      nodes.push(this.scripted());
    }
    this.at += 1;
    this.depth -= 1;
    return nodes;
  }

  peek() {
    while (/^\s+$/.test(this.tokens[this.at] ?? "")) this.at += 1;
    return this.tokens[this.at];
  }

  /** Returns a node with what is above and below it. */
  scripted() {
    const base = this.atom();
    let [below, above] = [null, null];
    for (;;) {
      const token = this.peek();
      if (token === "_" && below === null) below = this.argument();
      else if (token === "^" && above === null) above = this.argument();
      else if (token === "'" && above === null) {
        this.at += 1;
        above = element("mo", "′");
      } else break;
    }
    const isWide = base.dataset.isWide !== undefined;
    if (below && above) return element(isWide ? "munderover" : "msubsup", base, below, above);
    if (below) return element(isWide ? "munder" : "msub", base, below);
    return above ? element(isWide ? "mover" : "msup", base, above) : base;
  }

  /** Takes a command or a mark, and returns what follows it as one node. */
  argument() {
    this.at += 1;
    return this.atom();
  }

  atom() {
    const token = this.peek();
    if (token === undefined || "}^_&#%$".includes(token)) throw new UnknownTex();
    this.at += 1;
    if (token === "{") return element("mrow", ...this.row("}"));
    if (/^\d/.test(token)) return element("mn", token);
    if (/^\p{L}$/u.test(token)) return element("mi", token);
    if (token[0] !== "\\") return element("mo", OPERATORS.get(token) ?? token);
    return this.command(token.slice(1));
  }

  command(name) {
    if (SYMBOLS.has(name)) return element(/\p{L}/u.test(SYMBOLS.get(name)) ? "mi" : "mo", SYMBOLS.get(name));
    if (WIDE.has(name)) return wide(element("mo", WIDE.get(name)));
    if (FUNCTIONS.has(name)) return element("mi", name);
    if (LIMITS.has(name)) return wide(element("mi", name));
    if (ACCENTS.has(name)) return element("mover", this.atom(), element("mo", ACCENTS.get(name)));
    switch (name) {
      case "frac": case "dfrac": case "tfrac":
        return element("mfrac", this.atom(), this.atom());
      case "sqrt": {
        if (this.peek() !== "[") return element("msqrt", this.atom());
        this.at += 1;
        const root = element("mrow", ...this.row("]"));
        return element("mroot", this.atom(), root);
      }
      case "text": case "mathrm": case "mathbf": case "operatorname": case "textbf": case "mathit":
        return element("mtext", this.words());
      case "left": case "right":
        return this.bracket();
      case ",": case ";": case ":": case "!": case "quad": case "qquad": case " ":
        return element("mtext", name === "!" ? "" : "\u{2005}");
      case "{": case "}": case "|":
        return element("mo", name === "|" ? "‖" : name);
      case "\\":
        return element("mtext", " ");
      default:
        throw new UnknownTex();
    }
  }

  bracket() {
    const token = this.peek();
    this.at += 1;
    if (token === ".") return element("mrow");
    if (token?.[0] === "\\") return this.command(token.slice(1));
    if (!"()[]|/".includes(token ?? " ")) throw new UnknownTex();
    return element("mo", token);
  }

  /** Returns the words in braces as they are. */
  words() {
    if (this.peek() !== "{") throw new UnknownTex();
    const end = this.tokens.indexOf("}", this.at);
    if (end < 0) throw new UnknownTex();
    const words = this.tokens.slice(this.at + 1, end).join("");
    if (/[\\{$]/.test(words)) throw new UnknownTex();
    this.at = end + 1;
    return words;
  }
}

function wide(node) {
  node.dataset.isWide = "";
  return node;
}

function element(name, ...children) {
  const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
  node.append(...children);
  return node;
}

const pairs = (text) => new Map(text.trim().split(/\s+/).map((pair) => pair.split(":")));
const OPERATORS = pairs("-:− *:∗");
const SYMBOLS = pairs(`
  alpha:α beta:β gamma:γ delta:δ epsilon:ε varepsilon:ε zeta:ζ eta:η theta:θ iota:ι kappa:κ lambda:λ mu:μ nu:ν xi:ξ
  pi:π rho:ρ sigma:σ tau:τ upsilon:υ phi:φ varphi:φ chi:χ psi:ψ omega:ω Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π
  Sigma:Σ Phi:Φ Psi:Ψ Omega:Ω infty:∞ partial:∂ nabla:∇ ell:ℓ hbar:ℏ Re:ℜ Im:ℑ emptyset:∅ times:× cdot:⋅ div:÷ pm:± mp:∓
  le:≤ leq:≤ ge:≥ geq:≥ ne:≠ neq:≠ approx:≈ equiv:≡ sim:∼ propto:∝ ll:≪ gg:≫ in:∈ notin:∉ subset:⊂ subseteq:⊆ supset:⊃
  cup:∪ cap:∩ setminus:∖ land:∧ wedge:∧ lor:∨ vee:∨ neg:¬ forall:∀ exists:∃ to:→ rightarrow:→ leftarrow:← Rightarrow:⇒
  implies:⇒ iff:⇔ Leftrightarrow:⇔ leftrightarrow:↔ mapsto:↦ ldots:… dots:… cdots:⋯ langle:⟨ rangle:⟩ lfloor:⌊ rfloor:⌋
  lceil:⌈ rceil:⌉ circ:∘ mid:∣ star:⋆ oplus:⊕ otimes:⊗ perp:⊥ angle:∠ prime:′`);
const WIDE = pairs("sum:∑ prod:∏ bigcup:⋃ bigcap:⋂ int:∫ iint:∬ oint:∮");
const FUNCTIONS = new Set("sin cos tan cot arcsin arccos arctan sinh cosh tanh log ln lg exp det dim ker arg gcd deg".split(" "));
const LIMITS = new Set("lim max min sup inf argmax argmin".split(" "));
const ACCENTS = pairs("hat:^ bar:¯ overline:¯ vec:→ dot:˙ ddot:¨ tilde:~ widehat:^ widetilde:~");
const MOST_NESTED = 20;
