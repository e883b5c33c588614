package tables

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/ehgnn/ehgnn/data/graphfile"
)

// endWords are pairs of words for the two ends of an edge, by precedence.
var endWords = [][2]string{{"source", "target"}, {"src", "dst"}, {"from", "to"}, {"source", "destination"}, {"src", "dest"}, {"sender", "receiver"}, {"sender", "recipient"},
	{"u", "v"}, {"head", "tail"}, {"payer", "payee"}, {"orig", "dest"}, {"origin", "destination"}, {"org", "dest"}, {"originator", "beneficiary"}, {"debtor", "creditor"},
	{"buyer", "seller"}, {"user", "item"}, {"user", "movie"}, {"user", "product"}, {"user", "artist"}, {"user", "book"}, {"user", "business"}, {"customer", "merchant"}, {"customer", "product"}, {"customer", "item"}, {"cc", "merchant"}, {"client", "merchant"},
	{"caller", "callee"}, {"follower", "followee"}, {"follower", "followed"}, {"citing", "cited"}, {"rater", "ratee"}, {"rater", "rated"}, {"voter", "candidate"}, {"subject", "object"}, {"parent", "child"}, {"lender", "borrower"},
	{"src", "tgt"}, {"origin", "dest"}, {"exporter", "importer"}, {"reporter", "partner"}, {"winner", "loser"}, {"home", "away"}, {"pickup", "dropoff"}, {"pu", "do"}, {"ego", "alter"}, {"manager", "employee"}, {"card", "merchant"}, {"reviewer", "product"}, {"author", "paper"},
	{"white", "black"}, {"departure", "arrival"}, {"dep", "arr"}, {"attacker", "defender"}, {"donor", "recipient"}, {"supplier", "customer"}, {"employer", "employee"}, {"mentor", "mentee"}, {"teacher", "student"}, {"predator", "prey"}, {"plant", "pollinator"}, {"host", "parasite"}, {"host", "guest"}, {"ligand", "receptor"}, {"regulator", "target"}, {"enzyme", "substrate"}, {"student", "course"}, {"patient", "drug"}, {"investor", "company"}, {"trustor", "trustee"}, {"upstream", "downstream"},
	{"von", "nach"}, {"sender", "empfänger"}, {"absender", "empfänger"}, {"sender", "empfaenger"}, {"absender", "empfaenger"}, {"quelle", "ziel"}, {"origine", "destination"}, {"expéditeur", "destinataire"}, {"origen", "destino"}, {"remitente", "destinatario"}, {"origine", "destinazione"}, {"mittente", "destinatario"}, {"origem", "destino"}, {"remetente", "destinatário"},
	{"start", "end"}, {"drug", "target"}, {"node1", "node2"}, {"id1", "id2"}, {"entity1", "entity2"}, {"protein1", "protein2"}, {"drug1", "drug2"}, {"person1", "person2"}, {"author1", "author2"}, {"gene1", "gene2"}, {"user1", "user2"}, {"country1", "country2"}, {"actor1", "actor2"}, {"team1", "team2"}, {"name1", "name2"}, {"1", "2"}, {"a", "b"}, {"i", "j"}}

// vague are the pairs of endWords that name ends only together with one of endThings, for example node_1 and node_2.
var vague = []string{"start", "1", "a", "i"}

// endThings are the words that may accompany those of endWords: what an end is.
var endThings = []string{"id", "node", "account", "acct", "acc", "address", "addr", "user", "name", "key", "no", "number", "num", "customer", "client", "iban", "entity", "vertex", "person", "wallet", "ip", "host",
	"station", "airport", "city", "country", "player", "author", "paper", "protein", "gene", "drug", "stop", "member", "code", "uid", "guid", "uuid", "team", "subreddit", "zone", "location", "tx", "interactor", "domain", "page"}

// wordsOf splits the name of a column into words in lower case: "FromNodeId" has from, node and id.
func wordsOf(name string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, string(word))
		}
		word = word[:0]
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, unicode.ToLower(r))
	}
	end()
	return out
}

// joinedWords is wordsOf with a joined word for an end and its kind split into two or three: "srcip" has src and ip.
func joinedWords(name string) []string {
	words := wordsOf(name)
	if len(words) != 1 {
		return words
	}
	for _, of := range endWords {
		for _, end := range of {
			rest, ok := strings.CutPrefix(words[0], end)
			if !ok || len(end) < 2 {
				continue
			}
			for _, thing := range endThings {
				switch last, ok := strings.CutPrefix(rest, thing); {
				case ok && last == "":
					return []string{end, thing}
				case ok && slices.Contains(endThings, last):
					return []string{end, thing, last}
				}
			}
		}
	}
	return words
}

// mostGuesses is how many guesses an error names, and how many columns are considered for one end if the other is given.
const mostGuesses = 2

// mostWords is the largest number of words in the name of an end.
const mostWords = 16

// pair is two columns that may be the ends of edges.
type pair struct{ from, to int }

// ends assigns the roles of edge ends: to the columns in the options, else to the first pair by
// convention.
func (h *header) ends(o Options) error {
	if h.at[source] >= 0 && h.at[target] >= 0 {
		return nil
	}
	pairs, guesses := h.pairs(o)
	if len(pairs) > 0 {
		h.setRole(pairs[0].from, source)
		h.setRole(pairs[0].to, target)
		return nil
	}
	if len(guesses) == 0 {
		return h.errorf("no two columns have names of edge ends (source and target, from and to, sender and receiver, ...); the columns are %s; if the first line is an edge and has no names of columns, --format edge-list reads it so", listed(h.names))
	}
	guess := ""
	for i, p := range guesses {
		if i == mostGuesses {
			break
		}
		if i > 0 {
			guess += ", or"
		}
		guess += fmt.Sprintf(" --source %q --target %q", h.names[p.from], h.names[p.to])
	}
	return h.errorf("no two columns have names of edge ends (source and target, from and to, sender and receiver, ...); the best guesses are%s; the columns are %s%s", guess, listed(h.names), h.conversion())
}

// leastMatrix is the smallest number of columns of an adjacency matrix.
const leastMatrix = 5

// conversion says how to convert a table that is known not to have a column for each end: an adjacency matrix, whose first
// column has no name, and exports of Neo4j and Cytoscape.
func (h *header) conversion() string {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(h.names, n) })
	}
	what, code := "", ""
	switch {
	case len(h.names) >= leastMatrix && h.names[0] == "Unnamed: 0":
		what = "an adjacency matrix is converted"
		code = "pandas.read_csv('FILE', index_col=0).rename_axis(index='source', columns='target').stack().rename('weight').loc[lambda w: w != 0].to_csv('edges.csv')"
	case has("_id", "_start", "_end"):
		what = "a table with nodes and edges, as Neo4j exports it (apoc.export.csv), is divided"
		code = "t = pandas.read_csv('FILE', dtype=str); t[t._start.notna()].dropna(axis=1, how='all').rename(columns={'_start': 'source', '_end': 'target'}).to_csv('edges.csv', index=False);" +
			" t[t._id.notna()].dropna(axis=1, how='all').rename(columns={'_id': 'id'}).to_csv('nodes.csv', index=False)"
	case has("shared name", "shared interaction"):
		what = "an edge table of Cytoscape, with both ends in one column, is converted"
		code = `t = pandas.read_csv('FILE', dtype=str); t[['source', 'target']] = t['shared name'].str.extract(r'(.*) \(.*\) (.*)');` +
			` t.drop(columns=['SUID', 'name', 'selected', 'shared name', 'shared interaction'], errors='ignore').to_csv('edges.csv', index=False)`
	default:
		return ""
	}
	return "; " + what + " by: " + graphfile.Python(filepath.Base(h.file), "import pandas; "+code)
}

// pairs returns the column pairs that can be the ends of edges by their names, best first, and
// guesses if there are none.
func (h *header) pairs(o Options) (pairs, guesses []pair) {
	if pairs, guesses = h.pairsBy(wordsOf, o); len(pairs) == 0 {
		pairs, _ = h.pairsBy(joinedWords, o)
	}
	return pairs, guesses
}

// pairsBy is pairs with the names split by a function.
func (h *header) pairsBy(wordsOf func(name string) []string, o Options) (pairs, guesses []pair) {
	fits := func(r role, named string, c int) bool {
		if named != "" {
			return h.at[r] == c
		}
		return h.roles[c] == feature
	}
	words, may, at := make([][]string, len(h.names)), [2][]int{}, [2]map[string][]int{{}, {}} // for each end: columns, and the columns by words
	for c, n := range h.names {
		words[c] = wordsOf(n)
		for end, is := range [2]bool{fits(source, o.Source, c), fits(target, o.Target, c)} {
			if !is {
				continue
			}
			may[end] = append(may[end], c)
			for _, w := range words[c][:min(len(words[c]), mostWords)] {
				if of := at[end][w]; len(of) == 0 || of[len(of)-1] != c {
					at[end][w] = append(of, c)
				}
			}
		}
	}
	other := func(from, to int) bool {
		return from != to && fits(source, o.Source, from) && fits(target, o.Target, to)
	}
	for _, of := range endWords {
		var second []pair // with a word for what the end is
		opposite := besides(words, at[1][of[1]], of[1])
		for _, from := range at[0][of[0]] {
			var near []int
			for _, beside := range otherWords(words[from], of[0]) {
				near = append(near, first(opposite[beside], mostGuesses, func(to int) bool { return other(from, to) })...)
			}
			slices.Sort(near)
			for _, to := range slices.Compact(near) {
				switch rest, ok := restOf(words[from], words[to], of); {
				case !ok:
				case len(rest) == 0 && slices.Contains(vague, of[0]):
					guesses = append(guesses, pair{from, to})
				case len(rest) == 0:
					pairs = append(pairs, pair{from, to})
				case !slices.ContainsFunc(rest, func(w string) bool { return !slices.Contains(endThings, w) }):
					second = append(second, pair{from, to})
				case len(of[0]) > 1:
					guesses = append(guesses, pair{from, to})
				}
			}
		}
		pairs = append(pairs, second...)
	}
	for from, n := range h.names { // Account and Account.1, which had the same name
		if to := h.find(n + ".1"); to >= 0 && other(from, to) {
			if !slices.ContainsFunc(words[from], func(w string) bool { return !slices.Contains(endThings, w) }) {
				pairs = append(pairs, pair{from, to})
			}
			guesses = append(guesses, pair{from, to})
		}
	}
	likely := func(a, b int) int { return cmp.Compare(unlikely(h.names[a], words[a]), unlikely(h.names[b], words[b])) }
	slices.SortStableFunc(may[0], likely)
	slices.SortStableFunc(may[1], likely)
	for i, from := range may[0] {
		for j, to := range may[1] {
			if len(guesses) >= mostGuesses {
				return pairs, guesses
			}
			p := pair{from, to}
			if o.Source == "" && o.Target == "" && isTarget(words[from]) && !isTarget(words[to]) {
				p = pair{to, from}
			}
			if from != to && (o.Source != "" || o.Target != "" || i < j) && !slices.Contains(guesses, p) {
				guesses = append(guesses, p)
			}
		}
	}
	return pairs, guesses
}

// isTarget reports whether a name has a word for the target of edges and none for the source.
func isTarget(words []string) bool {
	has := func(end int) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return len(w) > 1 && slices.ContainsFunc(endWords, func(of [2]string) bool { return w == of[end] })
		})
	}
	return has(1) && !has(0)
}

// unlikely sorts columns that may be ends if no two names say so: first names with a word for an end or its kind, then
// other names, then columns without a name.
func unlikely(name string, words []string) int {
	isEnd := func(w string) bool {
		return len(w) > 1 && slices.ContainsFunc(endWords, func(of [2]string) bool { return w == of[0] || w == of[1] })
	}
	switch {
	case strings.HasPrefix(name, "Unnamed: "):
		return 2
	case slices.ContainsFunc(words, func(w string) bool { return slices.Contains(endThings, w) || isEnd(w) }):
		return 0
	}
	return 1
}

// otherWords returns the other words of a name that has a word, once for each occurrence; none for a name with more than
// mostWords.
func otherWords(words []string, word string) []string {
	if len(words) > mostWords {
		return nil
	}
	var out []string
	for i, w := range words {
		if w == word {
			out = append(out, strings.Join(words[:i], " ")+"\x00"+strings.Join(words[i+1:], " "))
		}
	}
	return out
}

// besides lists the columns whose names have a word, by their other words.
func besides(words [][]string, columns []int, word string) map[string][]int {
	out := map[string][]int{}
	for _, c := range columns {
		for _, rest := range otherWords(words[c], word) {
			out[rest] = append(out[rest], c)
		}
	}
	return out
}

// first returns the first columns for which ok is true, at most most.
func first(columns []int, most int, ok func(c int) bool) []int {
	var out []int
	for _, c := range columns {
		if len(out) == most {
			break
		}
		if ok(c) {
			out = append(out, c)
		}
	}
	return out
}

// restOf returns the words that two names share, without the two words for the ends; ok is false if
// the names differ in more.
func restOf(from, to []string, of [2]string) (rest []string, ok bool) {
	if len(from) != len(to) {
		return nil, false
	}
	for i := range from {
		switch {
		case from[i] == to[i]:
			rest = append(rest, from[i])
		case !ok && from[i] == of[0] && to[i] == of[1]:
			ok = true
		default:
			return nil, false
		}
	}
	return rest, ok
}
