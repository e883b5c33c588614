package tables

import (
	"fmt"
	"slices"
	"unicode"
)

// endWords are the pairs of words that tell the two ends of an edge apart, by precedence.
var endWords = [][2]string{{"source", "target"}, {"src", "dst"}, {"from", "to"}, {"source", "destination"}, {"src", "dest"}, {"sender", "receiver"}, {"sender", "recipient"},
	{"u", "v"}, {"head", "tail"}, {"payer", "payee"}, {"orig", "dest"}, {"origin", "destination"}, {"org", "dest"}, {"originator", "beneficiary"}, {"debtor", "creditor"},
	{"buyer", "seller"}, {"user", "item"}, {"user", "movie"}, {"user", "product"}, {"user", "artist"}, {"user", "book"}, {"user", "business"}, {"customer", "merchant"}, {"customer", "product"}, {"customer", "item"}, {"cc", "merchant"}, {"client", "merchant"},
	{"caller", "callee"}, {"follower", "followee"}, {"follower", "followed"}, {"citing", "cited"}, {"rater", "ratee"}, {"rater", "rated"}, {"voter", "candidate"}, {"subject", "object"}, {"parent", "child"}, {"lender", "borrower"},
	{"src", "tgt"}, {"origin", "dest"}, {"exporter", "importer"}, {"reporter", "partner"}, {"winner", "loser"}, {"home", "away"}, {"pickup", "dropoff"}, {"pu", "do"}, {"ego", "alter"}, {"manager", "employee"}, {"card", "merchant"}, {"reviewer", "product"}, {"author", "paper"},
	{"start", "end"}, {"drug", "target"}, {"node1", "node2"}, {"id1", "id2"}, {"entity1", "entity2"}, {"protein1", "protein2"}, {"drug1", "drug2"}, {"person1", "person2"}, {"author1", "author2"}, {"gene1", "gene2"}, {"user1", "user2"}, {"country1", "country2"}, {"actor1", "actor2"}, {"team1", "team2"}, {"name1", "name2"}, {"1", "2"}, {"a", "b"}, {"i", "j"}}

// vague are the pairs of endWords that name ends only beside one of endThings, as node_1 and node_2.
var vague = []string{"start", "1", "a", "i"}

// endThings are the words that may stand beside those of endWords: what an end is.
var endThings = []string{"id", "node", "account", "acct", "acc", "address", "addr", "user", "name", "key", "no", "number", "num", "customer", "client", "iban", "entity", "vertex", "person", "wallet", "ip", "host",
	"station", "airport", "city", "country", "player", "author", "paper", "protein", "gene", "drug", "stop", "member", "code", "uid", "guid", "uuid", "team", "subreddit", "zone", "location", "tx", "interactor", "domain", "page"}

// wordsOf are the words of a name of a column, in lower case: "FromNodeId" has from, node and id.
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

// pair is two columns that may be the ends of edges.
type pair struct{ from, to int }

// ends gives the ends of edges their roles: the columns that the options name, else the first pair
// by convention.
func (h *header) ends(o Options) error {
	if h.at[source] >= 0 && h.at[target] >= 0 {
		return nil
	}
	pairs, guesses := h.pairs(o)
	if len(pairs) > 0 {
		h.give(pairs[0].from, source)
		h.give(pairs[0].to, target)
		return nil
	}
	if len(guesses) == 0 {
		return h.errorf("no two columns are called as the ends of edges are (source and target, from and to, sender and receiver, ...); the columns are %s; if the first line is an edge and has no names of columns, --format edge-list reads it so", listed(h.names))
	}
	guess := ""
	for i, p := range guesses {
		if i == 2 {
			break
		}
		if i > 0 {
			guess += ", or"
		}
		guess += fmt.Sprintf(" --source %q --target %q", h.names[p.from], h.names[p.to])
	}
	return h.errorf("no two columns are called as the ends of edges are (source and target, from and to, sender and receiver, ...); the best guesses are%s; the columns are %s", guess, listed(h.names))
}

// pairs are the columns that can be the ends of edges by their names, the best first, and guesses
// where there are none.
func (h *header) pairs(o Options) (pairs, guesses []pair) {
	fits := func(r role, named string, c int) bool {
		if named != "" {
			return h.at[r] == c
		}
		return h.roles[c] == feature
	}
	var words [][]string
	for _, n := range h.names {
		words = append(words, wordsOf(n))
	}
	other := func(from, to int) bool {
		return from != to && fits(source, o.Source, from) && fits(target, o.Target, to)
	}
	for _, of := range endWords {
		var second []pair // with a word that says what the end is
		for from := range words {
			for to := range words {
				if !other(from, to) {
					continue
				}
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
	for from, n := range h.names { // Account and Account.1, which were called the same
		if to := h.find(n + ".1"); to >= 0 && other(from, to) {
			if !slices.ContainsFunc(words[from], func(w string) bool { return !slices.Contains(endThings, w) }) {
				pairs = append(pairs, pair{from, to})
			}
			guesses = append(guesses, pair{from, to})
		}
	}
	for from := range h.names { // what is named beside the first columns
		for to := range h.names {
			if other(from, to) && (o.Source != "" || o.Target != "" || from < to) && !slices.Contains(guesses, pair{from, to}) {
				guesses = append(guesses, pair{from, to})
			}
		}
	}
	return pairs, guesses
}

// restOf are the words that two names share beside the two words that tell the ends apart; ok is
// false where they differ in more.
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
