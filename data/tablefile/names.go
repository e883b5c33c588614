package tablefile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// tellApart makes the names of columns unique, as in pandas: Account, Account.1, Account.2. It
// ignores case, changes names in place and returns the notes.
func tellApart(names []string) []string {
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[schema.FoldName(n)] = true
	}
	seen := make(map[string]int, len(names)) // number of columns with a name so far
	var notes []string
	for i, n := range names {
		key := schema.FoldName(n)
		k := seen[key]
		seen[key] = max(k, 1)
		if k == 0 {
			continue
		}
		for ; taken[schema.FoldName(suffixed(n, k))]; k++ {
		}
		names[i] = suffixed(n, k)
		taken[schema.FoldName(names[i])], seen[key] = true, k+1
		notes = append(notes, fmt.Sprintf("two columns are called %q; the one at column %d is called %q here", n, i+1, names[i]))
	}
	return shortened(notes, "columns have the name of another column")
}

func suffixed(name string, k int) string { return fmt.Sprintf("%s.%d", name, k) }

// shortened returns some notes of one kind, and the number of the others.
func shortened(notes []string, more string) []string {
	const most = 10
	if len(notes) <= most {
		return notes
	}
	return append(notes[:most:most], fmt.Sprintf("%d more %s", len(notes)-most, more))
}

// neo4jID matches the names of ids in Neo4j's import format: personId:ID(Person), :START_ID(Person) and :END_ID.
var neo4jID = regexp.MustCompile(`^[^:]*:((?:START_|END_)?ID)(?:[({].*)?$`)

// neo4jType matches a name followed by a type in Neo4j's import format: amount:float.
var neo4jType = regexp.MustCompile(`^([^:]+):(?:int|long|float|double|boolean|byte|short|char|string|date|localtime|time|localdatetime|datetime|duration|point)(?:\[\])?(?:\{.*\})?$`)

// recBoleType matches a name in RecBole's atomic files, followed by its type: user_id:token.
var recBoleType = regexp.MustCompile(`^([^:]+):(?:token|float)(?:_seq)?$`)

// withoutTypes returns the names of a header without the types that RecBole and Neo4j's import format add. Neo4j's ids
// become id, start_id and end_id.
func withoutTypes(names []string) []string {
	if !slices.ContainsFunc(names, func(n string) bool { return !recBoleType.MatchString(n) }) {
		return lists.Map(names, func(n string) string { return recBoleType.ReplaceAllString(n, "$1") })
	}
	if !slices.ContainsFunc(names, neo4jID.MatchString) {
		return names
	}
	return lists.Map(names, func(n string) string {
		if id := neo4jID.FindStringSubmatch(n); id != nil {
			return strings.ToLower(id[1])
		}
		return neo4jType.ReplaceAllString(n, "$1")
	})
}
