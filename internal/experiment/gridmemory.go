package experiment

// dataMemory is the memory of the data that are held.
func (g *Grid) dataMemory() int64 {
	var bytes int64
	for _, c := range g.columns {
		bytes += c.memory
	}
	return bytes
}
