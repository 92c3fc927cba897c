"""The accounts' doors."""

from tertulia.accounts.routes import me, members, session, workspace

routers = (session.router, me.router, workspace.router, members.router)

__all__ = ["routers"]
