package tables

import (
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// mostAlike is how many nodes are compared at most.
const mostAlike = 1 << 18

// noteAlike says where ids of different nodes differ in nothing but capital letters or leading zeros, as they do where two
// programs wrote the two ends.
func (l *loader) noteAlike() {
	s := l.set
	if s.Options.known != nil || s.Options.WholeIDs || len(s.NodeIDs) > mostAlike {
		return
	}
	first, alike, a, b := make(map[string]int, len(s.NodeIDs)), 0, "", ""
	for v, id := range s.NodeIDs {
		key := strings.ToLower(id)
		if digits := strings.TrimLeft(id, "0"); schema.IsWhole(digits) {
			key = digits
		}
		k, ok := first[key]
		if !ok {
			first[key] = v
			continue
		}
		if alike++; alike == 1 {
			a, b = s.NodeIDs[k], id
		}
	}
	if alike > 0 {
		l.note("%d of %d nodes have an id that is another one's but for capital letters or leading zeros, as %q and %q: if these are one node, write its id in one way", alike, len(s.NodeIDs), a, b)
	}
}
