package graphfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// facts has the information in the comments at the beginning of an edge list.
type facts struct {
	names     []string // of the columns; nil if no comment has them
	directed  data.Edges
	bipartite bool
	konect    bool // the comments are from KONECT
}

var (
	konectLine = regexp.MustCompile(`^%\s*(sym|asym|bip)\b`)
	snapLine   = regexp.MustCompile(`(?i)^[#%]+\s*(un)?directed\b`)
	nameText   = regexp.MustCompile(`^[\pL_][\pL\pN_ .()/-]*$`)
)

// readComments reads the comments of SNAP (# Directed graph, # FromNodeId ToNodeId), of KONECT (%
// asym positive), and comments that name the columns.
func readComments(comments []string) facts {
	var f facts
	for _, c := range comments {
		if m := konectLine.FindStringSubmatch(c); m != nil {
			f.konect, f.bipartite = true, m[1] == "bip"
			f.directed = data.Undirected
			if m[1] == "asym" {
				f.directed = data.Directed
			}
		} else if m := snapLine.FindStringSubmatch(c); m != nil {
			f.directed = data.Directed
			if m[1] != "" {
				f.directed = data.Undirected
			}
		}
	}
	if len(comments) > 0 {
		f.names = commentNames(comments[len(comments)-1])
	}
	return f
}

// commentNames returns the column names in a comment, or nil if it is not a list of names. Names
// separated by blanks only count if the first is the name of an end, because a sentence has blanks,
// too.
func commentNames(comment string) []string {
	text := strings.TrimSpace(strings.TrimLeft(comment, "#%"))
	var names []string
	switch {
	case strings.Contains(text, "\t"):
		names = strings.Split(text, "\t")
	case strings.Contains(text, ","):
		names = strings.Split(text, ",")
	default:
		if names = strings.Fields(text); len(names) > 0 && !isEnd(names[0]) {
			return nil
		}
	}
	for i, n := range names {
		if names[i] = strings.TrimSpace(n); !nameText.MatchString(names[i]) {
			return nil
		}
	}
	return names
}

// endNames are names of columns with ends, in lower case and without separators.
var endNames = []string{
	"source", "target", "src", "dst", "dest", "destination", "from", "to", "u", "v", "i", "j", "head", "tail", "h", "t",
	"fromnodeid", "tonodeid", "fromnode", "tonode", "fromid", "toid", "nodeid", "node1", "node2", "node",
	"sourceid", "targetid", "srcid", "dstid", "subject", "object", "sender", "receiver", "rater", "ratee",
	"user", "item", "userid", "itemid", "movieid", "id1", "id2", "start", "end", "follower", "followee",
}

// isEnd reports whether the name is one of a column with ends.
func isEnd(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || r == '-' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	return slices.Contains(endNames, plain)
}

// columns returns the names in the comments if there are n of them, else nil.
func (f facts) columns(n int) []string {
	if len(f.names) != n {
		return nil
	}
	return f.names
}

// edgeColumns returns the column names of an edge list.
func edgeColumns(lay layout, f facts, rows []string) []string {
	names := []string{sourceColumn, targetColumn}
	if given := f.columns(lay.fields); given != nil {
		return unique(append(names, given[2:]...))
	}
	decimal, epoch := make([]bool, lay.fields), make([]bool, lay.fields)
	for i := range lay.fields {
		decimal[i], epoch[i] = true, true
	}
	for _, line := range rows {
		for i, text := range lay.split(nil, line) {
			decimal[i] = decimal[i] && isDecimal(text)
			epoch[i] = epoch[i] && isEpoch(text)
		}
	}
	for i := 2; i < lay.fields; i++ {
		last := i == lay.fields-1
		switch {
		case f.konect && i == 3, !f.konect && last && epoch[i]:
			names = append(names, timeColumn)
		case i == 2 && decimal[i] && lay.fields <= 4:
			names = append(names, weightColumn)
		default:
			names = append(names, fmt.Sprintf("column_%d", i+1))
		}
	}
	return names
}

// unique makes names different that are equal except for case: the second gets ".1" appended, the
// third ".2".
func unique(names []string) []string {
	taken := map[string]bool{}
	for _, n := range names {
		taken[strings.ToLower(n)] = true
	}
	seen, last := map[string]bool{}, map[string]int{}
	out := make([]string, len(names))
	for i, n := range names {
		key := strings.ToLower(n)
		for out[i] = n; seen[strings.ToLower(out[i])]; {
			last[key]++
			if next := fmt.Sprintf("%s.%d", n, last[key]); !taken[strings.ToLower(next)] {
				out[i] = next
			}
		}
		seen[strings.ToLower(out[i])] = true
	}
	return out
}

// listed joins names for a message.
func listed(names []string) string { return strings.Join(names, ", ") }
